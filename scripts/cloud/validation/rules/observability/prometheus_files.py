"""What Amazon Managed Service for Prometheus refuses of files of rules and of a collector's settings."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from config.rules.deployed import services as codes
from scripts.cloud.validation.rules.reading import text_at
from scripts.cloud.validation.rules.registry import Refusal, Resource, rule

from .prometheus_receivers import seconds
from .yaml_texts import listed, read

_MOST_BYTES = 1024 * 1024
_GROUPS = re.compile(r"^groups\s*:", re.MULTILINE)

_SCRAPE = "ScrapeConfiguration/ConfigurationBlob"
_MOST_SCRAPE_BYTES = 256 * 1024
_TOP = ("global", "scrape_configs")
_FINDS = ("kubernetes_sd_configs", "static_configs", "dns_sd_configs")
_LEAST_INTERVAL_S = 30


@rule(codes.RULE_LIMITS, "AWS::APS::RuleGroupsNamespace")
def rules_are_one_file(resource: Resource) -> Iterator[Refusal]:
    """Data: its size, how often it says `groups`, and the names of its groups."""
    text = text_at(resource.properties, "Data")
    if text is None:
        return
    if len(text.encode()) > _MOST_BYTES:
        yield Refusal("Data", f"{len(text.encode())} bytes, 1 MB at most", "divide it into two namespaces")
    if (count := len(_GROUPS.findall(text))) > 1:
        yield Refusal("Data", f"`groups` stands in it {count} times", "put all groups below one `groups`")
    rules = read(text)
    names = (
        Counter(str(group.get("name")) for group in listed(rules.get("groups")))
        if isinstance(rules, Mapping)
        else {}
    )
    for name in sorted(name for name, count in names.items() if count > 1):
        yield Refusal("Data", f"two groups are called {name}", "give each a name of its own")


@rule(codes.SCRAPE, "AWS::APS::Scraper")
def collector_knows_its_settings(resource: Resource) -> Iterator[Refusal]:
    """ScrapeConfiguration: its size, keys, intervals and how it finds targets."""
    text = text_at(resource.properties, *_SCRAPE.split("/"))
    if text is None:
        return
    text = _decoded(text)
    if len(text.encode()) > _MOST_SCRAPE_BYTES:
        yield Refusal(_SCRAPE, f"{len(text.encode())} bytes, 256 KB at most", "write fewer jobs")
    settings = read(text)
    if not isinstance(settings, Mapping) or "scrape_configs" not in settings:
        yield Refusal(_SCRAPE, "no `scrape_configs` in it", "add the jobs that it shall read")
        return
    for key in sorted(map(str, set(settings) - set(_TOP))):
        yield Refusal(_SCRAPE, f"`{key}`, which a collector does not know", f"take `{key}` out")
    everywhere = settings.get("global")
    if isinstance(everywhere, Mapping):
        yield from _interval("global", everywhere)
    for job in listed(settings["scrape_configs"]):
        name = f"job {job.get('job_name')}"
        for key in sorted(key for key in job if key.endswith("_configs") and not _known(key)):
            yield Refusal(
                _SCRAPE,
                f"{name}: `{key}`, which a collector does not know",
                f"use one of {', '.join(_FINDS)}",
            )
        yield from _interval(name, job)


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except ValueError:
        return text


def _known(key: str) -> bool:
    return key in (*_FINDS, "relabel_configs", "metric_relabel_configs")


def _interval(where: str, settings: Mapping[str, Any]) -> Iterator[Refusal]:
    stated = settings.get("scrape_interval")
    if isinstance(stated, str) and seconds(stated) < _LEAST_INTERVAL_S:
        told = f"{where}: every {stated}, a collector reads every 30s at most often"
        yield Refusal(_SCRAPE, told, "write `scrape_interval: 30s`")
