"""Corrections for log groups, AMP workspaces and Grafana workspaces."""

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
        reason = f"the class of a log group cannot change from {was} to {will}"
        hint = "rename the log group"
        yield Correction(("LogGroupClass",), Effect.REFUSED, reason, _LOGS, hint)


def _log_retention(change: Change) -> Iterator[Correction]:
    yield from _shorter(change, ("RetentionInDays",), _RETENTION)


def _metric_retention(change: Change) -> Iterator[Correction]:
    yield from _shorter(change, ("WorkspaceConfiguration", "RetentionPeriodInDays"), _METRICS)


def _shorter(change: Change, path: tuple[str, ...], source: str) -> Iterator[Correction]:
    """Yield a correction if the retention becomes shorter, because older data is then deleted.

    If the retention is not set, logs do not expire, and metrics are retained for AMP's default period.
    """
    was, will = change.sides(*path)
    if will is not None and (was is None or change.lowered(*path)):
        kept = "forever" if was is None else f"for {was} days"
        reason = f"data was retained {kept}; data older than {will} days is deleted"
        yield Correction(path, Effect.IN_PLACE, reason, source, topic=Topic.DATA_EXPIRES)


def _grafana_version(change: Change) -> Iterator[Correction]:
    was, will = change.sides("GrafanaVersion")
    if older(change, "GrafanaVersion"):
        reason = f"Grafana does not support a downgrade from {was} to {will}"
        yield Correction(("GrafanaVersion",), Effect.REFUSED, reason, _GRAFANA)
    elif was is not None and will is not None and was != will:
        reason = "the upgrade cannot be reverted, and does not include plugins"
        yield Correction(("GrafanaVersion",), Effect.IN_PLACE, reason, _GRAFANA)


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    "AWS::Grafana::Workspace": (_grafana_version,),
    "AWS::APS::Workspace": (_metric_retention,),
    "AWS::Logs::LogGroup": (_log_class, _log_retention),
}
