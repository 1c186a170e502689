"""`ultracluster explain`."""

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
    """One diagnostic code in full."""
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
        fact("checked", "when a template is deployed on the embedded cloud, and when it is reviewed")
    if code in PREFLIGHT:
        fact("checked", "of an account, or of what was recorded of one: `ultracluster preflight`")
    if code in {rule.code for rule in OF_PARALLELCLUSTER}:
        fact("checked", "when a file for AWS ParallelCluster is written: `ultracluster pcluster`")
    if code == SYNTAX:
        fact("checked", "by `ultracluster validate` and `ultracluster plan`, on a machine that has bash")
    fact("waiver", waiving(code))
    fact("source", code.source)
    heading("bad")
    verbatim(shown.bad)
    fact("says", f"{shown.path}: {shown.message}")
    fact("hint", shown.hint)
    heading("good")
    verbatim(shown.good)


def _same_number(wanted: str) -> list[str]:
    """The code with the same letters and number: `LUS02` and `LUS2` are LUS002."""
    letters, digits = wanted[:3].upper(), wanted[3:]
    return [code for code in CODES if digits.isdecimal() and code == f"{letters}{int(digits):03}"]


def _unknown(wanted: str, *, as_json: bool) -> int:
    close = _same_number(wanted) or nearest(wanted, [known.lower() for known in CODES])
    hint = (
        f"did you mean {' or '.join(word.upper() for word in close)}?"
        if close
        else "docs/reference/rules.md lists all codes"
    )
    print(f"error: no diagnostic has the code {wanted!r}\n  hint: {hint}", file=sys.stderr)
    if as_json:
        write_json({"error": f"no diagnostic has the code {wanted!r}", "hint": hint})
    return 2
