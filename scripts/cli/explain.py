"""The `ultracluster explain` command."""

from __future__ import annotations

import sys
from dataclasses import asdict

from config.diagnostics import Code
from config.profile.source.reference import nearest
from config.rules.codes import CODES, OF_PARALLELCLUSTER, RULES
from config.rules.deployed import CODES as DEPLOYED
from config.rules.explained import Explained, explained, waiving
from config.rules.preflight import CODES as PREFLIGHT
from config.rules.slurm.shell_syntax import SYNTAX
from scripts.cli.output import fact, heading, line, verbatim, write_json


def explain(wanted: str, *, as_json: bool) -> int:
    """Print one diagnostic code in full, and return the exit status."""
    code = CODES.get(wanted.upper())
    if code is None:
        return _unknown(wanted, as_json=as_json)
    shown = explained(code)
    if as_json:
        write_json(asdict(code) | asdict(shown))
    else:
        _write(code, shown)
    return 0


def _write(code: Code, shown: Explained) -> None:
    line(f"{code.code} ({code.severity}): {code.holds}")
    fact("why", code.why)
    for name, address in shown.reports.items():
        fact(name, address)
    if code in DEPLOYED and code not in {rule.code for rule in RULES}:
        fact("checked", "by the embedded cloud when it deploys a template, and by `ultracluster review`")
    if code in PREFLIGHT:
        fact("checked", "by `ultracluster preflight`, against an AWS account or its recorded answers")
    if code in {rule.code for rule in OF_PARALLELCLUSTER}:
        fact("checked", "by `ultracluster pcluster`, for AWS ParallelCluster")
    if code == SYNTAX:
        fact("checked", "by `ultracluster validate` and `ultracluster plan`, if bash is installed")
    fact("waiver", waiving(code))
    fact("source", code.source)
    heading("bad")
    verbatim(shown.bad)
    fact("message", f"{shown.path}: {shown.message}")
    fact("hint", shown.hint)
    heading("good")
    verbatim(shown.good)


def _same_number(wanted: str) -> list[str]:
    """Return the code with the same letters and number: `LUS02` and `LUS2` are LUS002."""
    letters, digits = wanted[:3].upper(), wanted[3:]
    return [code for code in CODES if digits.isdecimal() and code == f"{letters}{int(digits):03}"]


def _unknown(wanted: str, *, as_json: bool) -> int:
    close = _same_number(wanted) or nearest(wanted, [known.lower() for known in CODES])
    hint = (
        f"did you mean {' or '.join(word.upper() for word in close)}?"
        if close
        else "docs/reference/rules.md lists all codes"
    )
    print(f"error: unknown diagnostic code {wanted!r}\n  hint: {hint}", file=sys.stderr)
    if as_json:
        write_json({"error": f"unknown diagnostic code {wanted!r}", "hint": hint})
    return 2
