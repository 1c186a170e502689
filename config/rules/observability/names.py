"""Rules for the alerts, thresholds and conditions that a profile names."""

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
    "OBS028", ERROR, "each alert that a profile names exists",
    why="A name that does not exist turns off no alert and changes no threshold.",
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
                hint=f"remove {name} from `thresholds`, or add it to `off` to turn off the alert",
            )


@rule(
    "OBS029", ERROR, "each condition in `repair.actions` exists",
    why="A condition that does not exist changes no repair.",
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
    why="An alert never fires if its threshold cannot be reached, and always fires if the threshold is always "
    "exceeded. Shares are in percent, times in seconds.",
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
                message=f"the threshold of {name}, {value:g} {threshold.unit}, is {wrong}",
                hint=_instead(value, threshold),
            )


def _wrong(value: float, threshold: Threshold) -> str | None:
    if value < threshold.least:
        return f"less than {threshold.least:g}, the minimum"
    if threshold.most is not None and value > threshold.most:
        return f"more than {threshold.most:g}, the maximum"
    return None


def _instead(value: float, threshold: Threshold) -> str:
    if threshold.most is None:
        return f"set it to {threshold.least:g} or more; the default is {threshold.value:g}"
    meant = 100 * value  # a share in place of percent
    figure = meant if threshold.least <= meant <= threshold.most else threshold.value
    return f"set it to {figure:g}, or another value from {threshold.least:g} to {threshold.most:g}"
