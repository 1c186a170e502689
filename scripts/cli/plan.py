"""`ultracluster plan`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TextIO

from config.cluster import Cluster, load_cluster
from config.design.report import report
from scripts.cli.output import line, write_diagnostics, write_problem
from scripts.cli.shell import SHELL_RULES


def show_plan(given: str, *, orchestrator: str | None, form: str, output: str | None = None) -> int:
    """Show what the cluster of a profile is, needs and costs, and its diagnostics, in one of four forms."""
    if form == "html" and output is None and sys.stdout.isatty():
        write_problem("a page is no text for a terminal", f"write `--output {_page_name(given)}`")
        return 2
    cluster = load_cluster(given, orchestrator=orchestrator, further=SHELL_RULES)
    if cluster.design is None and form != "json":
        write_diagnostics(cluster.diagnostics, stderr=True)
    if output is None:
        _write(cluster, form, sys.stdout)
        return cluster.exit_status
    if cluster.design is None and form == "text":  # there is nothing to write
        return cluster.exit_status
    try:
        with Path(output).open("w", encoding="utf-8", newline="\n") as file:
            _write(cluster, form, file)
    except OSError as error:
        write_problem(f"cannot write {output}: {error.strerror}", "give a file in a folder that exists")
        return 2
    line(f"wrote {output}", stderr=True)
    return cluster.exit_status


def _page_name(given: str) -> str:
    return f"{Path(given).stem}.html"


def _write(cluster: Cluster, form: str, file: TextIO) -> None:
    """Each form loads what it is made with: text must not wait for the others."""
    plan = report(cluster.design) if cluster.design else None
    if form == "json":
        diagnostics = [diagnostic.as_dict() for diagnostic in cluster.diagnostics]
        file.write(
            json.dumps({"plan": plan.as_dict() if plan else None, "diagnostics": diagnostics}, indent=2)
        )
        file.write("\n")
        return
    from scripts.plan.build import document_of, refused

    found = cluster.diagnostics
    document = document_of(plan, found) if plan else refused(cluster.given, found)
    if form == "markdown":
        from scripts.plan.as_markdown import as_markdown

        file.write(as_markdown(document))
    elif form == "html":
        from scripts.plan.html.page import as_page

        file.write(as_page(document, plan, cluster.design))
    elif plan is not None:
        from scripts.plan.as_text import write_text

        write_text(document, file)
