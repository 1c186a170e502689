"""Checks for definitions that Alertmanager accepts, but that AMP rejects or changes silently.

Sources: AMP-alertmanager-config.html, AMP-alertmanager-receiver-config.html and AMP_quotas.html under
https://docs.aws.amazon.com/prometheus/latest/userguide/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

MAX_BYTES = 1024 * 1024
MAX_ROUTES = 100
MAX_INHIBITIONS = 100
MAX_REPEAT_S = 5 * 24 * 3600
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_KINDS = {"sns_configs", "pagerduty_configs"}
_TOP = {"alertmanager_config", "template_files"}


def definition_faults(text: str) -> tuple[str, ...]:
    """Return all faults of a definition that AMP would reject or change."""
    document = yaml.safe_load(text) if text.strip() else None
    if not isinstance(document, dict) or not isinstance(document.get("alertmanager_config"), str):
        return ("alertmanager_config is missing: AMP requires the configuration as text under this key",)
    config = yaml.safe_load(document["alertmanager_config"])
    if not isinstance(config, dict):
        return ("alertmanager_config is not a configuration",)
    return tuple(_faults(text, document, config))


def _faults(text: str, document: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted(set(document) - _TOP):
        yield f"{key} must be under alertmanager_config"
    if len(text.encode()) > MAX_BYTES:
        yield f"the definition has {len(text.encode())} bytes; AMP accepts {MAX_BYTES}"
    if config.get("global"):
        yield "AMP does not support global settings: it rejects api_url, http_config and SMTP"
    routes = list(_routes(config.get("route") or {}))
    if len(routes) > MAX_ROUTES:
        yield f"{len(routes)} routes; AMP accepts {MAX_ROUTES}"
    if len(config.get("inhibit_rules", ())) > MAX_INHIBITIONS:
        yield f"{len(config['inhibit_rules'])} inhibition rules; AMP takes {MAX_INHIBITIONS}"
    for route in routes:
        repeat = route.get("repeat_interval")
        if repeat and seconds(str(repeat)) > MAX_REPEAT_S:
            yield f"AMP silently changes repeat_interval {repeat} to five days"
    for receiver in config.get("receivers", ()):
        yield from _receiver(receiver)


def _routes(route: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield route
    for child in route.get("routes", ()):
        yield from _routes(child)


def _receiver(receiver: Mapping[str, Any]) -> Iterator[str]:
    name = receiver.get("name", "")
    for kind in sorted(set(receiver) - _KINDS - {"name"}):
        yield f"receiver {name}: AMP does not support {kind}, only SNS and PagerDuty"
    for one in receiver.get("sns_configs", ()):
        yield from (f"receiver {name}: {fault}" for fault in _sns(one))
    for one in receiver.get("pagerduty_configs", ()):
        for key in ("routing_key", "service_key"):
            if key in one and not (isinstance(one[key], dict) and "aws_secrets_manager" in one[key]):
                yield f"receiver {name}: {key} must be a secret in Secrets Manager, not the key itself"


def _sns(one: Mapping[str, Any]) -> Iterator[str]:
    for key in ("api_url", "http_config"):
        if key in one:
            yield f"AMP rejects {key}"
    if not (one.get("sigv4") or {}).get("region"):
        yield "sigv4.region is missing"
    if not one.get("topic_arn"):
        yield "topic_arn is missing"
    elif str(one["topic_arn"]).endswith(".fifo"):
        yield f"{one['topic_arn']} is a FIFO topic; AMP sends only to standard topics"


def seconds(duration: str) -> int:
    """Return an Alertmanager duration such as 4h or 1d12h in seconds."""
    return sum(int(count) * _UNITS[unit] for count, unit in re.findall(r"([0-9]+)([smhdw])", duration))
