"""Template rules for the receivers and routes of an AMP alert manager."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from config.rules.deployed import services as codes
from scripts.cloud.validation.rules.reading import text_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

from .yaml_texts import listed, read

_PATH = "AlertManagerDefinition"
_MOST_BYTES = 1024 * 1024
_KINDS = ("sns_configs", "pagerduty_configs")
_REFUSED_OF_SNS = ("api_url", "http_config")
_DAY_S = 86400
_MOST_REPEAT_S = 5 * _DAY_S
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": _DAY_S, "w": 7 * _DAY_S, "y": 365 * _DAY_S}
_DURATION = re.compile(r"([0-9]+)(ms|s|m|h|d|w|y)")


@rule(codes.RECEIVERS, "AWS::APS::Workspace")
def alert_manager_sends_as_it_can(resource: Resource) -> Iterator[Violation]:
    """Check the receivers in AlertManagerDefinition, and the repeat interval of its routes."""
    text = text_at(resource.properties, _PATH)
    outer = read(text)
    inner = read(outer.get("alertmanager_config")) if isinstance(outer, Mapping) else None
    if text is None or not isinstance(inner, Mapping):
        return
    if len(text.encode()) > _MOST_BYTES:
        yield Violation(
            _PATH,
            f"the definition has {len(text.encode())} bytes; the maximum is 1 MB",
            "use fewer receivers",
        )
    for receiver in listed(inner.get("receivers")):
        for message, hint in _of_receiver(receiver):
            yield Violation(_PATH, f"receiver {receiver.get('name')}: {message}", hint)
    for route in _routes(inner.get("route")):
        repeat = route.get("repeat_interval")
        if isinstance(repeat, str) and seconds(repeat) > _MOST_REPEAT_S:
            yield Violation(
                _PATH, f"AMP reduces `repeat_interval: {repeat}` to 5 days", "set `repeat_interval: 5d`"
            )


def seconds(text: str) -> float:
    """Return a Prometheus duration in seconds."""
    return sum(int(count) * _UNITS[unit] for count, unit in _DURATION.findall(text))


def _of_receiver(receiver: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind in sorted(key for key in receiver if key.endswith("_configs") and key not in _KINDS):
        yield f"AMP does not support {kind}", "use an SNS topic, and forward the messages from there"
    for topic in listed(receiver.get("sns_configs")):
        yield from _of_topic(topic)
    for service in listed(receiver.get("pagerduty_configs")):
        keys = [service[key] for key in ("routing_key", "service_key") if key in service]
        if not keys or not all(isinstance(key, Mapping) and "aws_secrets_manager" in key for key in keys):
            yield (
                "the key is not in Secrets Manager",
                "set `routing_key: {aws_secrets_manager: {secret_arn: ...}}`",
            )


def _of_topic(topic: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key in _REFUSED_OF_SNS:
        if key in topic:
            yield f"AMP does not support `{key}`", f"remove `{key}`"
    if str(topic.get("topic_arn", "")).endswith(".fifo"):
        yield f"the topic {topic['topic_arn']} is a FIFO topic", "use a standard topic"
    signature = topic.get("sigv4")
    if not isinstance(signature, Mapping) or not signature.get("region"):
        yield "the topic has no signing Region", "set `sigv4: {region: ...}`"


def _routes(route: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(route, Mapping):
        yield route
        nested = route.get("routes")
        for child in nested if isinstance(nested, Sequence) else ():
            yield from _routes(child)
