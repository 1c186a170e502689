"""The part of `ultracluster plan` about metrics, alerts and dashboards."""

from __future__ import annotations

from config.design.report_observability import ObservabilityReport
from scripts.cli.output import fact, heading, write_table

_ELSEWHERE = "only for "


def write_observability(report: ObservabilityReport) -> None:
    """Where metrics are, who collects them, who is told of what, and which alerts there are not."""
    heading("observability")
    fact("metrics", report.kept_in)
    often = f", every {report.interval_s} s" if report.exporters else ""
    fact("collected by", report.collector + often)
    if report.exporters:
        fact("exporters", ", ".join(report.exporters))
    if report.series:
        millions = report.samples_a_day / 1e6
        fact("estimate", f"{report.series:,} series of the nodes, {millions:,.1f} million samples a day")
    told = f"{report.alerts} alerts in rules"
    if report.alarms:
        told += f", {len(report.alarms)} in CloudWatch ({', '.join(report.alarms)})"
    fact("alerts", told)
    for receiver in report.receivers:
        fact("told", receiver)
    if report.dashboards_in:
        fact("dashboards", report.dashboards_in)
    last = f", none in the last {report.no_repair_in_last_hours} hours of a reserved block"
    most = report.most_nodes_in_repair
    fact("repair", f"{most} {'node' if most == 1 else 'nodes'} of a group at once at most{last}")
    # an alert of another control plane is no loss
    missing = [one for one in report.left_out if not one.reason.startswith(_ELSEWHERE)]
    if missing:
        write_table(("alert that is left out", "because"), [(one.alert, one.reason) for one in missing])
