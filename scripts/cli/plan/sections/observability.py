"""The observability section of a plan: metrics, alerts, notifications and dashboards."""

from __future__ import annotations

from config.design.report.observability import ObservabilityReport
from scripts.cli.plan.document import Writer, amount

_ELSEWHERE = "only for "


def write_observability(out: Writer, report: ObservabilityReport) -> None:
    """Write where metrics are stored, how they are collected, who is notified, and the omitted alerts."""
    out.heading("observability")
    out.fact("stored in", report.kept_in)
    often = f", every {report.interval_s} s" if report.exporters else ""
    out.fact("collected by", report.collector + often)
    if report.exporters:
        out.fact("exporters", ", ".join(report.exporters))
    if report.series:
        millions = report.samples_a_day / 1e6
        series = f"{report.series:,} active series from the nodes"
        out.fact("estimate", f"{series}, {millions:,.1f} million samples per day")
    alerts = amount(report.alerts, "Prometheus alert")
    if report.alarms:
        alerts += f", {amount(len(report.alarms), 'CloudWatch alarm')} ({', '.join(report.alarms)})"
    out.fact("alerts", alerts)
    for receiver in report.receivers:
        out.fact("notifications", receiver)
    if report.dashboards_in:
        out.fact("dashboards", report.dashboards_in)
    last = f"not in the last {amount(report.no_repair_in_last_hours, 'hour')} of a reservation"
    out.fact(
        "node repair", f"at most {amount(report.most_nodes_in_repair, 'node')} per group at a time; {last}"
    )
    # alerts of other control planes are not listed as omitted
    missing = [one for one in report.left_out if not one.reason.startswith(_ELSEWHERE)]
    if missing:
        out.table(("omitted alert", "reason"), [(one.alert, one.reason) for one in missing])
