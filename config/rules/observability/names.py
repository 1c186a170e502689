"""Rules for the names of alerts, thresholds and conditions in a profile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from config.design.model import Design
from config.diagnostics import Path
from config.profile.source.reference import nearest
from config.rules.registry import ERROR, Finding, rule

if TYPE_CHECKING:
    from config.design.observability.alerts.model import Threshold

_AT: Path = ("observability",)


def _thresholds() -> Mapping[str, Threshold | None]:
    """Return each alert name with its threshold; None if the alert has no threshold."""
    # import the catalogue only if a profile names an alert, since it is slow
    from config.design.observability.alerts import catalogue
    from config.design.observability.alerts.cloudwatch import DISCARDED
    from config.design.observability.alerts.model import Threshold

    discarded = Threshold(value=0, unit="samples")
    return {**{alert.name: alert.threshold for alert in catalogue()}, DISCARDED: discarded}


def _conditions() -> Iterable[str]:
    from config.design.nodes.repair.policy import default_conditions  # as above

    return default_conditions()


def _unknown(at: Path, name: str, known: Iterable[str], what: str, page: str) -> Finding:
    written = {one.lower(): one for one in known}
    close = [written[one] for one in nearest(name, list(written), 1)]
    return Finding(
        at=at,
        message=f"{name} is not a known {what}",
        hint=f"write `{close[0]}`" if close else f"choose a name from docs/{page}",
    )


@rule(
    "OBS028", ERROR, "the alerts that a profile names exist",
    why="A misspelt name has no effect, so neither the alert nor its threshold changes.",
    source="https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/",
    reads="observability", where="alerts",
)  # fmt: skip
def alerts_are_known(design: Design) -> Iterator[Finding]:
    """Check the names in `alerts.off` and `alerts.thresholds`."""
    wanted = design.profile.observability
    declared = wanted.alerts if wanted else None
    if declared is None or not (declared.off or declared.thresholds):
        return
    known = _thresholds()
    for i, name in enumerate(declared.off):
        if name not in known:
            yield _unknown((*_AT, "alerts", "off", i), name, known, "alert", "alerts.md")
    for name, value in declared.thresholds.items():
        at: Path = (*_AT, "alerts", "thresholds", name)
        if name not in known:
            yield _unknown(at, name, known, "alert", "alerts.md")
        elif known[name] is None:
            yield Finding(
                at=at,
                message=f"{name} has no threshold, so {value:g} has no effect",
                hint=f"remove {name} from `thresholds`, or add {name} to `off` to turn off the alert",
            )


@rule(
    "OBS029", ERROR, "each condition in `repair.actions` exists",
    why="A misspelt condition has no effect on node repair.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-health.html",
    reads="observability", where="repair",
)  # fmt: skip
def conditions_are_known(design: Design) -> Iterator[Finding]:
    """Check the names in `repair.actions`."""
    wanted = design.profile.observability
    if wanted is None or not wanted.repair.actions:
        return
    known = tuple(_conditions())
    for name in wanted.repair.actions:
        if name not in known:
            yield _unknown((*_AT, "repair", "actions", name), name, known, "condition", "repair.md")


@rule(
    "OBS036", ERROR, "a threshold is within the range of its alert",
    why="An alert never fires if its threshold cannot be reached, and always fires if its threshold is always exceeded. The unit "
    "of shares is percent, and the unit of times is seconds.",
    source="https://prometheus.io/docs/practices/alerting/",
    reads="observability", where="alerts",
)  # fmt: skip
def thresholds_can_be_met(design: Design) -> Iterator[Finding]:
    """Check the values in `alerts.thresholds`."""
    wanted = design.profile.observability
    if wanted is None or not wanted.alerts.thresholds:
        return
    known = _thresholds()
    for name, value in wanted.alerts.thresholds.items():
        threshold = known.get(name)
        wrong = _wrong(value, threshold) if threshold else None
        if threshold and wrong:
            yield Finding(
                at=(*_AT, "alerts", "thresholds", name),
                message=f"the threshold of {name} is {value:g} {threshold.unit}, which is {wrong}",
                hint=_instead(value, threshold),
            )


def _wrong(value: float, threshold: Threshold) -> str | None:
    if value < threshold.least:
        return f"less than the minimum of {threshold.least:g}"
    if threshold.most is not None and value > threshold.most:
        return f"more than the maximum of {threshold.most:g}"
    return None


def _instead(value: float, threshold: Threshold) -> str:
    if threshold.most is None:
        return f"set the threshold to {threshold.least:g} or more; the default is {threshold.value:g}"
    meant = 100 * value  # a share in place of percent
    figure = meant if threshold.least <= meant <= threshold.most else threshold.value
    return f"set the threshold to {figure:g}, or another value from {threshold.least:g} to {threshold.most:g}"
