"""Template rules for AMP rule files and scraper configurations."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from config.rules.deployed import services as codes
from scripts.cloud.validation.rules.reading import text_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

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
def rules_are_one_file(resource: Resource) -> Iterator[Violation]:
    """Check the size of Data, and that the key `groups` and each group name occur once."""
    text = text_at(resource.properties, "Data")
    if text is None:
        return
    if len(text.encode()) > _MOST_BYTES:
        yield Violation(
            "Data",
            f"the file has {len(text.encode())} bytes; the maximum is 1 MB",
            "split the file into two namespaces",
        )
    if (count := len(_GROUPS.findall(text))) > 1:
        yield Violation(
            "Data", f"the file has the key `groups` {count} times", "put all groups under one `groups` key"
        )
    rules = read(text)
    names = (
        Counter(str(group.get("name")) for group in listed(rules.get("groups")))
        if isinstance(rules, Mapping)
        else {}
    )
    for name in sorted(name for name, count in names.items() if count > 1):
        yield Violation("Data", f"two groups have the name {name}", "use a different name for each group")


@rule(codes.SCRAPE, "AWS::APS::Scraper")
def collector_knows_its_settings(resource: Resource) -> Iterator[Violation]:
    """Check the size, keys, intervals and target discovery of ScrapeConfiguration."""
    text = text_at(resource.properties, *_SCRAPE.split("/"))
    if text is None:
        return
    text = _decoded(text)
    if len(text.encode()) > _MOST_SCRAPE_BYTES:
        yield Violation(
            _SCRAPE,
            f"the configuration has {len(text.encode())} bytes; the maximum is 256 KB",
            "use fewer jobs",
        )
    settings = read(text)
    if not isinstance(settings, Mapping) or "scrape_configs" not in settings:
        yield Violation(
            _SCRAPE, "`scrape_configs` is missing", "add `scrape_configs` with the jobs to scrape"
        )
        return
    for key in sorted(map(str, set(settings) - set(_TOP))):
        yield Violation(_SCRAPE, f"AMP scrapers do not support `{key}`", f"remove `{key}`")
    everywhere = settings.get("global")
    if isinstance(everywhere, Mapping):
        yield from _interval("global", everywhere)
    for job in listed(settings["scrape_configs"]):
        name = f"job {job.get('job_name')}"
        for key in sorted(key for key in job if key.endswith("_configs") and not _known(key)):
            yield Violation(
                _SCRAPE,
                f"{name}: AMP scrapers do not support `{key}`",
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


def _interval(where: str, settings: Mapping[str, Any]) -> Iterator[Violation]:
    declared = settings.get("scrape_interval")
    if isinstance(declared, str) and seconds(declared) < _LEAST_INTERVAL_S:
        message = f"{where}: the interval {declared} is below the minimum of 30s"
        yield Violation(_SCRAPE, message, "set `scrape_interval: 30s`")
