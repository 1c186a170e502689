"""The control plane and the metrics path in the diagram."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.report.observability import ObservabilityReport
from config.design.report.plan import PlanReport
from config.profile.model import Profile
from scripts.cli.plan.diagram.boxes import PAD, Box, Cell, Column, framed, line, rows_of, stacked
from scripts.cli.plan.document import amount

_ARROW = 26.0
_ROW_LEAST = 700.0
"""Minimum width at which the stations of the metrics path are next to each other."""


def drawn_control_plane(profile: Profile, plan: PlanReport, width: float) -> Box | None:
    """Return the box of the control plane; None for a profile without one."""
    if plan.orchestrator is None:
        return None
    column = Column(width - 2 * PAD)
    column.text(catalog().control_planes[plan.orchestrator].title, "title", most=2)
    for fact in _facts(plan):
        column.text(fact, "small")
    return framed(column.box(), "control", name="control")


def _facts(plan: PlanReport) -> Iterator[str]:
    if plan.eks:
        yield f"Kubernetes {plan.eks.kubernetes_version}"
        yield ("private API endpoint" if plan.eks.public_cidrs is None else "private and public API endpoint")
    if plan.hyperpod:
        yield f"cluster {plan.hyperpod.cluster_name}"
    if plan.pcs:
        yield f"Slurm {plan.pcs.slurm_version}, size {plan.pcs.size}"
        yield f"manages up to {plan.pcs.size_nodes:,} nodes"
    if plan.jobs:
        yield f"job scheduler: {plan.jobs.scheduler}"


def drawn_metrics(report: ObservabilityReport, width: float) -> Box:
    """Return the stations from exporters to notifications, in a row if there is room, else in a column."""
    wide = width >= _ROW_LEAST
    column = Column(width - 2 * PAD)
    column.text("metrics path", "title")
    column.space(8)
    each = (column.width - 3 * _ARROW) / 4 if wide else column.width
    cells = [
        _station(kind, name, texts, each)
        for kind, (name, texts) in zip("abcd", _stations(report), strict=True)
    ]
    row = rows_of(cells, len(cells) if wide else 1, gap=_ARROW)
    sides = ("right", "left") if wide else ("bottom", "top")
    arrows = "".join(
        line(row.ends[f"metrics {one}:{sides[0]}"], row.ends[f"metrics {two}:{sides[1]}"], "metrics-line")
        for one, two in zip("abc", "bcd", strict=True)
    )
    column.add(Box(width=row.width, height=row.height, svg=row.svg + arrows, ends=row.ends))
    return framed(column.box(), "metrics", name="metrics")


def _station(kind: str, name: str, texts: tuple[str, ...], width: float) -> Cell:
    column = Column(width - 2 * PAD)
    column.text(name, "title", most=2)
    for text in texts:
        column.text(text, "small", most=5)
    return Cell(inner=stacked([column.box()]), kind="station", name=f"metrics {kind}")


def _stations(report: ObservabilityReport) -> Iterator[tuple[str, tuple[str, ...]]]:
    exporters = ", ".join(report.exporters) or "not from ultracluster"
    series = (f"{report.series:,} series",) if report.series else ()
    yield "exporters on the nodes", (exporters, *series)
    yield "collector", (report.collector, *((f"every {report.interval_s} s",) if report.exporters else ()))
    samples = (f"{report.samples_a_day / 1e6:,.1f} million samples per day",) if report.samples_a_day else ()
    yield "stored in", (report.kept_in, *samples)
    alarms = f", {amount(len(report.alarms), 'CloudWatch alarm')}" if report.alarms else ""
    shown = (f"dashboards: {report.dashboards_in}",) if report.dashboards_in else ()
    texts = tuple(f"notifications: {receiver}" for receiver in report.receivers) or ("without notifications",)
    yield "alerts and dashboards", (f"{amount(report.alerts, 'Prometheus alert')}{alarms}", *texts, *shown)
