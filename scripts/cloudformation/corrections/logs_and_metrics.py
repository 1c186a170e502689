"""Log groups and Grafana workspaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloudformation.effects import Effect

from .model import Change, Correct, Correction, older

_LOGS = "https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html"
_GRAFANA = "https://docs.aws.amazon.com/grafana/latest/userguide/AMG-workspace-version-update.html"


def _log_class(change: Change) -> Iterator[Correction]:
    was, will = (value or "STANDARD" for value in change.sides("LogGroupClass"))
    if was != will:
        reason = f"the class of a log group is fixed: {was} to {will}"
        hint = "give the log group another name"
        yield Correction(("LogGroupClass",), Effect.REFUSED, reason, _LOGS, hint)


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
    "AWS::Logs::LogGroup": (_log_class,),
}
