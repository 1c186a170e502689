"""`ultracluster plan --proof`: check every link of the fabric."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from config.cluster import Cluster, load_cluster
from config.proof.model import Chain, Link, Proof, State
from config.proof.walk import prove
from config.proof.wanted import wanted_of
from scripts.cli.output import refuse, write_diagnostics, write_problem
from scripts.cli.plan.command import deliver, refuses_terminal
from scripts.cli.plan.document import Document, Writer
from scripts.cli.proof.inputs import read_artefacts
from scripts.cli.review.errors import UnusableError
from scripts.cli.shell import SHELL_RULES

_MARKS = {
    State.HOLDS: "ok",
    State.BROKEN: "BROKEN",
    State.NOT_NEEDED: "-",
    State.SERVICE: "service",
    State.YOURS: "yours",
}


def show_proof(
    profile: str, *, orchestrator: str | None, templates: Sequence[str], form: str, output: str | None = None
) -> int:
    """Check that the generated artefacts have every link that EFA needs; return 1 if a link is broken.

    In HTML output, the proof is a section of the plan's page.
    """
    if refuses_terminal(profile, form, output):
        return 2
    cluster = load_cluster(profile, orchestrator=orchestrator, further=SHELL_RULES)
    if cluster.design is None:
        write_diagnostics(cluster.diagnostics, stderr=True)
        if form == "json":
            deliver(lambda file: _write_json(None, cluster, file), output)
        return cluster.exit_status
    wanted = wanted_of(cluster.design)
    try:
        artefacts = read_artefacts(cluster, wanted, templates, Path.cwd())
    except UnusableError as error:
        *first, last = error.problems
        for problem in first:
            write_problem(problem, None)
        return refuse(last, error.hint)
    proof = prove(wanted, artefacts)
    if not deliver(lambda file: _write(proof, cluster, form, file), output):
        return 2
    return 1 if proof.broken else 0


def _write(proof: Proof, cluster: Cluster, form: str, file: TextIO) -> None:
    if form == "json":
        _write_json(proof, cluster, file)
    elif form == "markdown":
        from scripts.cli.plan.as_markdown import as_markdown

        document = replace(proof_document(proof), diagnostics=cluster.diagnostics)
        file.write(as_markdown(document))
    elif form == "html":
        from config.design.report.plan import report
        from scripts.cli.plan.build import document_of
        from scripts.cli.plan.html.page import as_page

        assert cluster.design is not None
        plan = report(cluster.design)
        document = document_of(plan, cluster.diagnostics)
        sections = (*document.sections, *proof_document(proof).sections)
        file.write(as_page(replace(document, sections=sections), plan, cluster.design))
    else:
        from scripts.cli.plan.as_text import write_text

        write_text(proof_document(proof), file)


def _write_json(proof: Proof | None, cluster: Cluster, file: TextIO) -> None:
    report = {
        "proof": proof.as_dict() if proof else None,
        "diagnostics": [diagnostic.as_dict() for diagnostic in cluster.diagnostics],
    }
    file.write(json.dumps(report, indent=2) + "\n")


def proof_document(proof: Proof) -> Document:
    """Return the proof as a document, with one section for each chain of links."""
    out = Writer()
    kind = f" under {proof.orchestrator}" if proof.orchestrator else ""
    out.line(f"proof of {proof.fabric.upper()} for {proof.profile}{kind}")
    out.line(proof.verdict)
    for chain in proof.chains:
        _write_chain(out, chain)
    if proof.without:
        out.heading("without EFA")
        for reason in proof.without:
            name, _, why = reason.partition(": ")
            out.fact(name, why)
    return out.document(proof.profile, ())


def _write_chain(out: Writer, chain: Chain) -> None:
    out.heading(f"{chain.kind} {chain.subject}: {chain.summary}")
    for link in sorted(chain.links, key=lambda link: not link.broken):
        _write_link(out, link)


def _write_link(out: Writer, link: Link) -> None:
    out.fact(_MARKS[link.state], f"{link.name}: {link.evidence}")
    for place in link.where:
        out.fact("  at", place.as_text())
    out.fact("  why", link.why)
    out.fact("  source", link.source)
