"""`ultracluster plan --proof`: the walk along every link, as text or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from config.cluster import load_cluster
from config.proof.model import Chain, Link, Proof, State
from config.proof.walk import prove
from config.proof.wanted import wanted_of
from scripts.cli.output import fact, heading, line, write_diagnostics, write_json, write_problem
from scripts.cli.shell import SHELL_RULES
from scripts.proof.inputs import read_artefacts
from scripts.review.errors import UnusableError

_MARKS = {
    State.HOLDS: "ok",
    State.BROKEN: "BROKEN",
    State.NOT_NEEDED: "-",
    State.SERVICE: "service",
    State.YOURS: "yours",
}


def show_proof(given: str, *, orchestrator: str | None, templates: Sequence[str], as_json: bool) -> int:
    """Prove that what was generated of a profile has every link that EFA needs; 1 where one is broken."""
    cluster = load_cluster(given, orchestrator=orchestrator, further=SHELL_RULES)
    diagnostics = [diagnostic.as_dict() for diagnostic in cluster.diagnostics]
    if cluster.design is None:
        if as_json:
            write_json({"proof": None, "diagnostics": diagnostics})
        write_diagnostics(cluster.diagnostics, stderr=True)
        return cluster.exit_status
    wanted = wanted_of(cluster.design)
    try:
        artefacts = read_artefacts(cluster, wanted, templates, Path.cwd())
    except UnusableError as error:
        *first, last = error.problems
        for problem in first:
            write_problem(problem, None)
        write_problem(last, error.hint)
        return 2
    proof = prove(wanted, artefacts)
    if as_json:
        write_json({"proof": proof.as_dict(), "diagnostics": diagnostics})
    else:
        write_proof(proof)
    return 1 if proof.broken else 0


def write_proof(proof: Proof) -> None:
    """The proof as text: what is broken first, then every link in the order of the walk."""
    kind = f" under {proof.orchestrator}" if proof.orchestrator else ""
    line(f"proof of {proof.fabric.upper()} for {proof.profile}{kind}")
    line(proof.verdict)
    for chain in proof.chains:
        _write_chain(chain)
    if proof.without:
        heading("without EFA")
        for told in proof.without:
            name, _, why = told.partition(": ")
            fact(name, why)


def _write_chain(chain: Chain) -> None:
    heading(f"{chain.kind} {chain.subject}: {chain.summary}")
    for link in sorted(chain.links, key=lambda link: not link.broken):
        _write_link(link)


def _write_link(link: Link) -> None:
    fact(_MARKS[link.state], f"{link.name}: {link.evidence}")
    for place in link.where:
        fact("  at", place.as_text())
    fact("  why", link.why)
    fact("  says", link.source)
