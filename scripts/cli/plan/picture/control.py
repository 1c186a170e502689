"""The control plane, and the way of the metrics."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.report.observability import ObservabilityReport
from config.design.report.plan import PlanReport
from config.profile.model import Profile
from scripts.cli.plan.picture.boxes import PAD, Box, Cell, Column, framed, line, rows_of, stacked

_ARROW = 26.0
_ROW_LEAST = 700.0
"""From this width on the stations of the metrics stand beside each other."""


def drawn_control_plane(profile: Profile, plan: PlanReport, width: float) -> Box | None:
    """Who runs the nodes; None for a profile without a control plane."""
    if plan.orchestrator is None:
        return None
    column = Column(width - 2 * PAD)
    column.text(catalog().control_planes[plan.orchestrator].title, "title", most=2)
    for told in _told(plan):
        column.text(told, "small")
    return framed(column.box(), "control", name="control")


def _told(plan: PlanReport) -> Iterator[str]:
    if plan.eks:
        yield f"Kubernetes {plan.eks.kubernetes_version}"
        yield (
            "API in the VPC alone" if plan.eks.public_cidrs is None else "API in the VPC and to stated blocks"
        )
    if plan.hyperpod:
        yield f"cluster {plan.hyperpod.cluster_name}"
    if plan.pcs:
        yield f"Slurm {plan.pcs.slurm_version}, size {plan.pcs.size}"
        yield f"manages {plan.pcs.size_nodes:,} nodes at most"
    if plan.jobs:
        yield f"jobs admitted by {plan.jobs.scheduler}"


def drawn_metrics(report: ObservabilityReport, width: float) -> Box:
    """From the nodes to who is told: beside each other where there is room, else below each other."""
    wide = width >= _ROW_LEAST
    column = Column(width - 2 * PAD)
    column.text("metrics path", "title")
    column.space(8)
    each = (column.width - 3 * _ARROW) / 4 if wide else column.width
    cells = [
        _station(kind, name, told, each) for kind, (name, told) in zip("abcd", _stations(report), strict=True)
    ]
    row = rows_of(cells, len(cells) if wide else 1, gap=_ARROW)
    sides = ("right", "left") if wide else ("bottom", "top")
    arrows = "".join(
        line(row.ends[f"metrics {one}:{sides[0]}"], row.ends[f"metrics {two}:{sides[1]}"], "metrics-line")
        for one, two in zip("abc", "bcd", strict=True)
    )
    column.add(Box(width=row.width, height=row.height, svg=row.svg + arrows, ends=row.ends))
    return framed(column.box(), "metrics", name="metrics")


def _station(kind: str, name: str, told: tuple[str, ...], width: float) -> Cell:
    column = Column(width - 2 * PAD)
    column.text(name, "title", most=2)
    for text in told:
        column.text(text, "small", most=5)
    return Cell(inner=stacked([column.box()]), kind="station", name=f"metrics {kind}")


def _stations(report: ObservabilityReport) -> Iterator[tuple[str, tuple[str, ...]]]:
    exporters = ", ".join(report.exporters) or "none of ultracluster's"
    series = (f"{report.series:,} series of the nodes",) if report.series else ()
    yield "exporters on the nodes", (exporters, *series)
    yield "collector", (report.collector, *((f"every {report.interval_s} s",) if report.exporters else ()))
    samples = (f"{report.samples_a_day / 1e6:,.1f} million samples a day",) if report.samples_a_day else ()
    yield "kept in", (report.kept_in, *samples)
    alarms = f", {len(report.alarms)} in CloudWatch" if report.alarms else ""
    shown = (f"shown in: {report.dashboards_in}",) if report.dashboards_in else ()
    told = tuple(f"told: {receiver}" for receiver in report.receivers) or ("nobody is told",)
    yield "alerts and dashboards", (f"{report.alerts} alerts in rules{alarms}", *told, *shown)
