"""The whole diagram: the Region with the network, the control plane, the buckets and the metrics."""

from __future__ import annotations

from html import escape

from config.design.model import Design
from config.design.report.plan import PlanReport
from scripts.cli.plan.diagram.boxes import GAP, PAD, Box, Column, framed, line, stacked
from scripts.cli.plan.diagram.control import drawn_control_plane, drawn_metrics
from scripts.cli.plan.diagram.network import drawn_network
from scripts.cli.plan.diagram.storage import Bucket, drawn_buckets

_BESIDE_LEAST = 640.0
"""Minimum width at which the parts outside the network are next to it."""

_GUTTER = 44.0
_EDGE = 1.0
_LINES_APART, _SIDE = 16.0, 60.0


def diagram(design: Design, plan: PlanReport, width: int) -> str:
    """Return one SVG element of the given width, with a title for screen readers."""
    inner = _beside(design, plan, width - 2 * PAD - 2 * _EDGE) if width >= _BESIDE_LEAST else None
    inner = inner or _below(design, plan, width - 2 * PAD - 2 * _EDGE)
    column = Column(inner.width)
    column.text(f"Region {plan.region}", "title")
    column.space(8)
    column.add(inner)
    box = framed(column.box(), "region").at(_EDGE, _EDGE)
    height, name = box.height + 2 * _EDGE, f"picture-{width}"
    svg = box.svg.replace("url(#arrow)", f"url(#{name}-arrow)")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="picture" role="img" width="{width}" '
        f'height="{height:.0f}" viewBox="0 0 {width} {height:.0f}" aria-labelledby="{name}-title">'
        f'<title id="{name}-title">{escape(_title(plan))}</title>'
        f'<defs><marker id="{name}-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto-start-reverse"><path class="arrow" d="M0 0L8 4L0 8z"/></marker></defs>'
        f"{svg}</svg>"
    )


def _beside(design: Design, plan: PlanReport, width: float) -> Box | None:
    """Return the network at the left, other parts at the right; None if there are no other parts."""
    side = min(250.0, width * 0.27)
    control = drawn_control_plane(design.profile, plan, side)
    buckets = list(drawn_buckets(design, plan.storage, side)) if plan.storage else []
    if control is None and not buckets:
        return None
    network = drawn_network(design, plan, width - side - _GUTTER)
    right = Column(side)
    if control:
        right.add(control)
        right.space(2 * GAP)
    # buckets are not higher than the first file system that they are associated with
    linked = [network.ends[f"lustre {bucket.of}:right"][1] for bucket in buckets if bucket.of]
    tall = stacked([bucket.box for bucket in buckets]).height
    top = min(min(linked) - tall / 2, network.height - tall) if linked else network.height - tall
    # the metrics use the space between control plane and buckets if the column is not higher than the network
    metrics = drawn_metrics(plan.observability, side) if plan.observability and plan.groups else None
    if metrics and right.y + metrics.height + 2 * GAP + tall <= network.height:
        right.add(metrics)
        right.space(2 * GAP)
    else:
        metrics = None
    if linked:
        right.y = max(right.y, top)
    for number, bucket in enumerate(buckets):
        right.space(GAP if number else 0)
        right.add(bucket.box)
    outside = right.box().at(network.width + _GUTTER, 0)
    lines = _links(buckets, network, outside)
    if control:
        x, y = outside.ends["control:left"]
        lines += line((x, y), (network.width + 2, y), "control-line")
    if metrics:
        x, y = outside.ends["metrics:left"]
        lines += line((network.width, y), (x - 1, y), "metrics-line")
    height = max(network.height, outside.height)
    middle = Box(width=width, height=height, svg=network.svg + outside.svg + lines, ends=network.ends)
    return middle if metrics else _with_metrics(plan, middle, from_y=network.height, width=width)


def _links(buckets: list[Bucket], network: Box, outside: Box) -> str:
    drawn = ""
    linked = [bucket for bucket in buckets if bucket.of]
    for number, bucket in enumerate(linked):
        same = [other for other in linked if other.of == bucket.of]
        # each line has its own end point at the side of the file system
        aside = (same.index(bucket) - (len(same) - 1) / 2) * min(_LINES_APART, _SIDE / len(same))
        x, y = network.ends[f"lustre {bucket.of}:right"]
        start, end = (x, y + aside), outside.ends[f"{bucket.name}:left"]
        # lines to higher buckets bend further out, so that lines do not cross
        down = end[1] > start[1]
        place = len(linked) - number if down else number + 1
        bend = network.width + 6 + place * (_GUTTER - 16) / (len(linked) + 1)
        both = bucket.to_bucket and bucket.from_bucket
        if both or bucket.to_bucket or not bucket.from_bucket:
            drawn += line(start, end, "bucket-line", bend=bend, both=both)
        else:
            drawn += line(end, start, "bucket-line", bend=bend)
    return drawn


def _below(design: Design, plan: PlanReport, width: float) -> Box:
    """Return all parts below each other, for a narrow page."""
    control = drawn_control_plane(design.profile, plan, width)
    buckets = list(drawn_buckets(design, plan.storage, width)) if plan.storage else []
    column, lines = Column(width), ""
    if control:
        column.add(control)
        lines += line((width / 2, column.y), (width / 2, column.y + 2 * GAP), "control-line")
        column.space(2 * GAP)
    column.add(drawn_network(design, plan, width))
    bottom = column.y
    if any(bucket.of for bucket in buckets):
        lines += line((width / 2, column.y), (width / 2, column.y + 2 * GAP), "bucket-line", both=True)
        column.space(GAP)
    for bucket in buckets:
        column.space(GAP)
        column.add(bucket.box)
    box = column.box()
    drawn = Box(width=width, height=box.height, svg=box.svg + lines, ends=box.ends)
    return _with_metrics(plan, drawn, from_y=bottom if not buckets else None, width=width)


def _with_metrics(plan: PlanReport, drawn: Box, *, from_y: float | None, width: float) -> Box:
    if plan.observability is None:
        return drawn
    column = Column(width)
    column.add(drawn)
    column.space(2 * GAP)
    top = column.y
    column.add(drawn_metrics(plan.observability, width))
    box = column.box()
    if from_y is None or not plan.groups:
        return box
    x = min(80.0, width / 2)
    arrow = line((x, from_y), (x, top - 1), "metrics-line")
    return Box(width=width, height=box.height, svg=box.svg + arrow, ends=box.ends)


def _title(plan: PlanReport) -> str:
    """Return the title of the diagram for screen readers; the sections of the page have the details."""
    parts = [f"{group.nodes:,} nodes of {group.name} ({group.instance_type})" for group in plan.groups[:8]]
    systems = plan.storage.file_systems if plan.storage else ()
    parts += [f"Lustre {system.name} at {system.mount_path}" for system in systems]
    parts += [f"control plane {plan.orchestrator}"] if plan.orchestrator else []
    return (
        f"Diagram of {plan.profile} in {plan.region}, zone {plan.zone}: {', '.join(parts) or 'its network'}"
    )
