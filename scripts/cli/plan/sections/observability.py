"""The part of `ultracluster plan` about metrics, alerts and dashboards."""

from __future__ import annotations

from config.design.report.observability import ObservabilityReport
from scripts.cli.plan.document import Writer

_ELSEWHERE = "only for "


def write_observability(out: Writer, report: ObservabilityReport) -> None:
    """Where metrics are, who collects them, who is told of what, and which alerts there are not."""
    out.heading("observability")
    out.fact("metrics", report.kept_in)
    often = f", every {report.interval_s} s" if report.exporters else ""
    out.fact("collected by", report.collector + often)
    if report.exporters:
        out.fact("exporters", ", ".join(report.exporters))
    if report.series:
        millions = report.samples_a_day / 1e6
        out.fact("estimate", f"{report.series:,} series of the nodes, {millions:,.1f} million samples a day")
    told = f"{report.alerts} alerts in rules"
    if report.alarms:
        told += f", {len(report.alarms)} in CloudWatch ({', '.join(report.alarms)})"
    out.fact("alerts", told)
    for receiver in report.receivers:
        out.fact("told", receiver)
    if report.dashboards_in:
        out.fact("dashboards", report.dashboards_in)
    last = f", none in the last {report.no_repair_in_last_hours} hours of a reserved block"
    most = report.most_nodes_in_repair
    out.fact("repair", f"{most} {'node' if most == 1 else 'nodes'} of a group at once at most{last}")
    # an alert of another control plane is no loss
    missing = [one for one in report.left_out if not one.reason.startswith(_ELSEWHERE)]
    if missing:
        out.table(("alert that is left out", "because"), [(one.alert, one.reason) for one in missing])
