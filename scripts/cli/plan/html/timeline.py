"""The critical path of the deployment as a chart."""

from __future__ import annotations

from html import escape
from math import ceil

from config.design.report.deployment import DeploymentReport, DeploymentStep
from scripts.cli.plan.sections.storage import duration

_MOST_ROWS = 40
_MOST_TICKS = 7
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86400
_STEPS_S = (10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, _DAY_S)
_WIDTH_LEAST, _LEFT_MOST = 0.4, 99.6
"""Minimum width and maximum left position of a bar in percent, so that short steps are visible."""


def timeline(deployment: DeploymentReport) -> str:
    """Return a chart with one row for each step; if there are too many steps, the shortest are omitted."""
    total = max([deployment.total_s, *(step.end_s for step in deployment.steps)], default=0.0)
    if total <= 0:
        return ""
    # a step without a published duration may be the longest, so it is not omitted
    steps = sorted(deployment.steps, key=lambda s: (not s.critical, s.published, s.begin_s - s.end_s))
    shown = sorted(steps[:_MOST_ROWS], key=lambda step: (step.begin_s, not step.critical, step.end_s))
    rows = "".join(_row(step, total) for step in shown)
    left = len(steps) - len(shown)
    more = f"<p>and {left:,} shorter steps</p>" if left else ""
    return (
        f"<p>A first deployment takes {duration(total)}, from published durations. The steps marked as "
        f'critical determine this time.</p>{_axis(total)}<ol class="gantt">{rows}</ol>{more}'
    )


def _axis(total: float) -> str:
    step = next(
        (step for step in _STEPS_S if total / step <= _MOST_TICKS),
        _DAY_S * ceil(total / _DAY_S / _MOST_TICKS),
    )
    ticks = "".join(
        f'<span style="left:{100 * n * step / total:.2f}%">{_moment(n * step, step)}</span>'
        for n in range(int(total / step) + 1)
    )
    return f'<div class="axis" aria-hidden="true"><div>{ticks}</div></div>'


def _moment(seconds: float, step: float) -> str:
    """Return the label of a tick, in the unit that all ticks share."""
    unit, name = (_HOUR_S, "h") if step >= _HOUR_S else (_MINUTE_S, "min") if step >= _MINUTE_S else (1, "s")
    return f"{seconds / unit:g} {name}"


def _row(step: DeploymentStep, total: float) -> str:
    length = step.end_s - step.begin_s
    left, width = 100 * step.begin_s / total, max(100 * length / total, _WIDTH_LEAST)
    kind = "critical" if step.critical else "beside"
    shown = duration(length) if step.published else "no published duration"
    mark = '<span class="badge critical">critical</span> ' if step.critical else ""
    bar = "span" if step.published else "span unknown"
    place = f"left:{min(left, _LEFT_MOST):.3f}%;width:{min(width, 100 - left):.3f}%"
    return (
        f'<li class="{kind}"><div class="what">{mark}<b>{escape(step.what)}</b> '
        f"<span>{escape(step.resource)}</span></div>"
        f'<div class="track" aria-hidden="true"><span class="{bar}" style="{place}"></span></div>'
        f'<div class="when"><b>{shown}</b> from {duration(step.begin_s)} to {duration(step.end_s)}</div></li>'
    )
