"""Log groups and Grafana workspaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloud.template.effects import Effect, Topic

from .model import Change, Correct, Correction, older

_LOGS = "https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html"
_RETENTION = (
    "https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html"
)
_METRICS = "https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-workspace-configuration.html"
_GRAFANA = "https://docs.aws.amazon.com/grafana/latest/userguide/AMG-workspace-version-update.html"


def _log_class(change: Change) -> Iterator[Correction]:
    was, will = (value or "STANDARD" for value in change.sides("LogGroupClass"))
    if was != will:
        reason = f"the class of a log group is fixed: {was} to {will}"
        hint = "give the log group another name"
        yield Correction(("LogGroupClass",), Effect.REFUSED, reason, _LOGS, hint)


def _log_retention(change: Change) -> Iterator[Correction]:
    yield from _shorter(change, ("RetentionInDays",), _RETENTION)


def _metric_retention(change: Change) -> Iterator[Correction]:
    yield from _shorter(change, ("WorkspaceConfiguration", "RetentionPeriodInDays"), _METRICS)


def _shorter(change: Change, path: tuple[str, ...], source: str) -> Iterator[Correction]:
    """What is older than a shorter retention goes; without one it is kept for ever (logs) or by default."""
    was, will = change.sides(*path)
    if will is not None and (was is None or change.lowered(*path)):
        kept = "for ever" if was is None else f"for {was} days"
        reason = f"kept {kept} until now, {will} days from now on: what is older is deleted"
        yield Correction(path, Effect.IN_PLACE, reason, source, topic=Topic.DATA_EXPIRES)


def _grafana_version(change: Change) -> Iterator[Correction]:
    was, will = change.sides("GrafanaVersion")
    if older(change, "GrafanaVersion"):
        reason = f"Grafana is only upgraded: {was} to {will}"
        yield Correction(("GrafanaVersion",), Effect.REFUSED, reason, _GRAFANA)
    elif was is not None and will is not None and was != will:
        reason = "an upgrade cannot be taken back, and plugins are not upgraded with it"
        yield Correction(("GrafanaVersion",), Effect.IN_PLACE, reason, _GRAFANA)


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    "AWS::Grafana::Workspace": (_grafana_version,),
    "AWS::APS::Workspace": (_metric_retention,),
    "AWS::Logs::LogGroup": (_log_class, _log_retention),
}
