"""docs/alerts.md: every alert with its runbook."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog.observability.metrics import metrics
from config.design.observability.alerts import catalogue
from config.design.observability.alerts.cloudwatch import DISCARDED
from config.design.observability.alerts.model import Alert
from config.design.observability.alerts.text import duration
from config.design.observability.names import keys_of
from scripts.tools.docs.markdown import page, source, table

_INTRO = """\
What a cluster is alerted of, what each alert means, and what to do. A cluster has those alerts whose metrics
it has: `ultracluster plan` says which are left out, and why. Every one of them is made to fire and to clear
by the rule engine of a real Prometheus in the tests.

In a profile `observability.alerts.thresholds` sets another figure, `observability.alerts.off` leaves out an
alert, and `observability.alerts.receivers` says who is told of which severity:

```yaml
extends: p6-b200
name: pretrain-west
observability:
  alerts:
    receivers:
      - {kind: sns, emails: [oncall@example.com], severities: [critical, warning]}
    thresholds: {LustreTargetFull: 85}
    off: [GpuPowerViolation]
```

A critical alert of a place holds back the warnings of the same family there, NodeLost all others of its
node. A fault of many nodes is one message; its subject begins with the severity, the alert and the first
node."""


def alerts_page() -> str:
    """The table of all alerts, then a section for each."""
    rows = [
        (
            f"[{alert.name}](#{alert.name.lower()})",
            alert.severity,
            alert.action,
            _threshold(alert),
            _when(alert),
        )
        for alert in catalogue()
    ]
    return page(
        "Alerts",
        _INTRO,
        table(("alert", "severity", "action", "threshold", "holds for"), rows),
        *(part for alert in catalogue() for part in _section(alert)),
        *_discarded(),
    )


def _threshold(alert: Alert) -> str:
    if alert.threshold is None:
        return "-"
    told = f"{alert.threshold.value:,.10g} {alert.threshold.unit}"
    if alert.threshold.intervals:
        told += f", or {alert.threshold.intervals:g} checkpoint intervals of the workload"
    return told


def _when(alert: Alert) -> str:
    return duration(alert.for_s) if alert.for_s else "at once"


def _section(alert: Alert) -> Iterator[str]:
    yield f"## {alert.name}"
    yield alert.meaning
    yield "What to look at:"
    yield "\n".join(f"- {look}" for look in alert.look)
    yield f"**What to do**: {alert.cure}"
    yield "\n".join(_facts(alert))


def _facts(alert: Alert) -> Iterator[str]:
    told = f"severity {alert.severity}, action {alert.action}, {_held(alert)}"
    yield f"- {told}; threshold: {_threshold(alert)}"
    planes = sorted({plane for one in alert.expressions for plane in one.planes or alert.planes})
    if planes and all(one.planes or alert.planes for one in alert.expressions):
        yield f"- under {', '.join(planes)}"
    shown = dict.fromkeys(key for one in alert.expressions for key in keys_of(one.text))
    series = dict.fromkeys(row.name for key in shown for row in metrics().named(key))
    if series:
        yield f"- needs {', '.join(f'`{name}`' for name in series)}"
    if alert.threshold and alert.threshold.source:
        yield f"- the figure is that of {source(alert.threshold.source)}"


def _held(alert: Alert) -> str:
    first = f"told after {duration(alert.for_s)}" if alert.for_s else "told at once"
    return f"{first}, kept for {duration(alert.keep_s)}" if alert.keep_s else first


def _discarded() -> Iterator[str]:
    yield f"## {DISCARDED}"
    yield "AMP throws samples away, and panels and alerts miss them. An alarm of CloudWatch, and no rule."
    yield "What to look at:"
    yield "- the reasons beside the metric `DiscardedSamples` in `AWS/Prometheus`"
    yield (
        "**What to do**: raise the limit that is met (series, labels, samples a second); give late samples"
        " more time (`observability.prometheus.late_samples_s`)."
    )
