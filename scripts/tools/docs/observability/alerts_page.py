"""Generator of docs/alerts.md, the runbook of each alert."""

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
This page lists each alert with its runbook: the meaning, the first checks and the recommended action. A
cluster has the alerts whose metrics it collects. `ultracluster plan` lists the alerts that are left out, with
the reason. The tests run each alert in a Prometheus server, where it must fire and clear.

In a profile, `observability.alerts.thresholds` changes a threshold, `observability.alerts.off` turns off an
alert, and `observability.alerts.receivers` sets the receivers of each severity:

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

A critical alert inhibits the warnings of the same family on the same node, file system or run. NodeLost
inhibits all other alerts of its node. A fault of many nodes sends one message. Its subject begins with the
severity, the alert and the first node."""


def alerts_page() -> str:
    """Return the page: a table of all alerts, then a section for each."""
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
        table(("alert", "severity", "action", "threshold", "fires after"), rows),
        *(part for alert in catalogue() for part in _section(alert)),
        *_discarded(),
    )


def _threshold(alert: Alert) -> str:
    if alert.threshold is None:
        return "-"
    text = f"{alert.threshold.value:,.10g} {alert.threshold.unit}"
    if alert.threshold.intervals:
        text += f", or {alert.threshold.intervals:g} checkpoint intervals of the workload"
    return text


def _when(alert: Alert) -> str:
    return duration(alert.for_s) if alert.for_s else "at once"


def _section(alert: Alert) -> Iterator[str]:
    yield f"## {alert.name}"
    yield alert.meaning
    yield "First steps:"
    yield "\n".join(f"- {check}" for check in alert.checks)
    yield f"**Recommended action**: {alert.remedy}"
    yield "\n".join(_facts(alert))


def _facts(alert: Alert) -> Iterator[str]:
    yield f"- Severity: {alert.severity}. Action: {alert.action}."
    threshold = f" Threshold: {_threshold(alert)}." if alert.threshold else ""
    yield f"- {_held(alert)}{threshold}"
    planes = sorted({plane for one in alert.expressions for plane in one.planes or alert.planes})
    if planes and all(one.planes or alert.planes for one in alert.expressions):
        yield f"- Control planes: {', '.join(planes)}."
    shown = dict.fromkeys(key for one in alert.expressions for key in keys_of(one.text))
    series = dict.fromkeys(row.name for key in shown for row in metrics().named(key))
    if series:
        yield f"- Required metrics: {', '.join(f'`{name}`' for name in series)}."
    if alert.threshold and alert.threshold.source:
        yield f"- Source of the threshold: {source(alert.threshold.source)}."


def _held(alert: Alert) -> str:
    first = f"Fires after {duration(alert.for_s)}" if alert.for_s else "Fires at once"
    return f"{first}, and for {duration(alert.keep_s)} after the fault ends." if alert.keep_s else f"{first}."


def _discarded() -> Iterator[str]:
    yield f"## {DISCARDED}"
    yield (
        "AMP discards samples, which are then missing in dashboards and alerts. This is a CloudWatch alarm,"
        " not a Prometheus rule."
    )
    yield "First steps:"
    yield "- Check the dimension `Reason` of the metric `DiscardedSamples` in the namespace `AWS/Prometheus`."
    yield (
        "**Recommended action**: Increase the quota that is exceeded (series, labels or samples per second)."
        " For late samples, increase `observability.prometheus.late_samples_s`."
    )
