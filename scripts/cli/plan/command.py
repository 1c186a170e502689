"""The `ultracluster plan` command."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from config.cluster import Cluster, load_cluster
from config.design.report.plan import report
from scripts.cli.output import line, write_diagnostics, write_problem
from scripts.cli.shell import SHELL_RULES


def show_plan(profile: str, *, orchestrator: str | None, form: str, output: str | None = None) -> int:
    """Write the plan of a profile and its findings in one of four forms, and return the exit status."""
    if refuses_terminal(profile, form, output):
        return 2
    cluster = load_cluster(profile, orchestrator=orchestrator, further=SHELL_RULES)
    if cluster.design is None and form != "json":
        write_diagnostics(cluster.diagnostics, stderr=True)
    if output is not None and cluster.design is None and form == "text":  # a profile with errors has no plan
        return cluster.exit_status
    return cluster.exit_status if deliver(lambda file: _write(cluster, form, file), output) else 2


def refuses_terminal(profile: str, form: str, output: str | None) -> bool:
    """Return True, and print a hint, if an HTML page would be written to a terminal."""
    if form != "html" or output is not None or not sys.stdout.isatty():
        return False
    write_problem(
        "the HTML page is not printed to a terminal",
        f"write it to a file: `--output {Path(profile).stem}.html`",
    )
    return True


def deliver(write: Callable[[TextIO], None], output: str | None) -> bool:
    """Write to a file, or to standard output if `output` is None; False if the file cannot be written."""
    if output is None:
        write(sys.stdout)
        return True
    try:
        with Path(output).open("w", encoding="utf-8", newline="\n") as file:
            write(file)
    except OSError as error:
        write_problem(
            f"cannot write {output}: {error.strerror}", "use a file in a folder that exists and is writable"
        )
        return False
    line(f"wrote {output}", stderr=True)
    return True


def _write(cluster: Cluster, form: str, file: TextIO) -> None:
    """Write one form, and import only the modules of that form."""
    plan = report(cluster.design) if cluster.design else None
    if form == "json":
        diagnostics = [diagnostic.as_dict() for diagnostic in cluster.diagnostics]
        file.write(
            json.dumps({"plan": plan.as_dict() if plan else None, "diagnostics": diagnostics}, indent=2)
        )
        file.write("\n")
        return
    from scripts.cli.plan.build import document_of, refused

    found = cluster.diagnostics
    document = document_of(plan, found) if plan else refused(cluster.argument, found)
    if form == "markdown":
        from scripts.cli.plan.as_markdown import as_markdown

        file.write(as_markdown(document))
    elif form == "html":
        from scripts.cli.plan.html.page import as_page

        file.write(as_page(document, plan, cluster.design))
    elif plan is not None:
        from scripts.cli.plan.as_text import write_text

        write_text(document, file)
