"""`ultracluster plan`."""

from __future__ import annotations

from config.cluster import load_cluster
from config.design.report import report
from scripts.cli.output import write_diagnostics, write_json
from scripts.cli.shell import SHELL_RULES


def show_plan(given: str, *, orchestrator: str | None, as_json: bool) -> int:
    """Print what the cluster of a profile is, needs and costs, then its diagnostics."""
    cluster = load_cluster(given, orchestrator=orchestrator, further=SHELL_RULES)
    diagnostics = [diagnostic.as_dict() for diagnostic in cluster.diagnostics]
    if cluster.design is None:
        if as_json:
            write_json({"plan": None, "diagnostics": diagnostics})
        write_diagnostics(cluster.diagnostics, stderr=True)
        return cluster.exit_status
    plan = report(cluster.design)
    if as_json:
        write_json({"plan": plan.as_dict(), "diagnostics": diagnostics})
        return cluster.exit_status
    from scripts.plan.as_text import write_text
    from scripts.plan.build import document_of

    write_text(document_of(plan, cluster.diagnostics))
    return cluster.exit_status
