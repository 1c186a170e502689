"""Alerts and conditions that a profile names: they are those that there are, with figures that can be met."""

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
    """Every alert, and its threshold where it has one to set."""
    # the catalogue is read where a profile names something of it, and nowhere else
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
        message=f"there is no {what} {name}",
        hint=f"write `{close[0]}`" if close else f"docs/{page} lists them",
    )


@rule(
    "OBS028", ERROR, "an alert that is named is one that there is",
    why="Under another name nothing is left out, and no threshold changes.",
    source="https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/",
    reads="observability", where="alerts",
)  # fmt: skip
def alerts_are_known(design: Design) -> Iterator[Finding]:
    """Names in `alerts.off` and `alerts.thresholds`."""
    wanted = design.profile.observability
    stated = wanted.alerts if wanted else None
    if stated is None or not (stated.off or stated.thresholds):
        return
    known = _thresholds()
    for i, name in enumerate(stated.off):
        if name not in known:
            yield _unknown((*_AT, "alerts", "off", i), name, known, "alert", "alerts.md")
    for name, value in stated.thresholds.items():
        at: Path = (*_AT, "alerts", "thresholds", name)
        if name not in known:
            yield _unknown(at, name, known, "alert", "alerts.md")
        elif known[name] is None:
            yield Finding(
                at=at,
                message=f"{name} is told whenever it holds: {value:g} is compared with nothing",
                hint="take it out, or add it to `off` to leave the alert out",
            )


@rule(
    "OBS029", ERROR, "a condition whose repair is stated is one that there is",
    why="Under another name nothing is repaired in another way.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-health.html",
    reads="observability", where="repair",
)  # fmt: skip
def conditions_are_known(design: Design) -> Iterator[Finding]:
    """Names in `repair.actions`."""
    wanted = design.profile.observability
    if wanted is None or not wanted.repair.actions:
        return
    known = tuple(_conditions())
    for name in wanted.repair.actions:
        if name not in known:
            yield _unknown((*_AT, "repair", "actions", name), name, known, "condition", "repair.md")


@rule(
    "OBS036", ERROR, "a threshold is a figure that can be met and not always is",
    why="An alert whose figure is never reached tells nobody of anything, and one that is always reached is soon "
    "not read any more. Shares are in percent, times in seconds.",
    source="https://prometheus.io/docs/practices/alerting/",
    reads="observability", where="alerts",
)  # fmt: skip
def thresholds_can_be_met(design: Design) -> Iterator[Finding]:
    """Figures in `alerts.thresholds`."""
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
                message=f"{value:g} {threshold.unit} for {name} is {wrong}",
                hint=_instead(value, threshold),
            )


def _wrong(value: float, threshold: Threshold) -> str | None:
    if value < threshold.least:
        return f"less than {threshold.least:g}"
    if threshold.most is not None and value > threshold.most:
        return f"more than {threshold.most:g}"
    return None


def _instead(value: float, threshold: Threshold) -> str:
    if threshold.most is None:
        return f"write {threshold.least:g} or more; without it, it is {threshold.value:g}"
    meant = 100 * value  # a share in place of percent
    figure = meant if threshold.least <= meant <= threshold.most else threshold.value
    return f"write {figure:g}, or another figure from {threshold.least:g} to {threshold.most:g}"
