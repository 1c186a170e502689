"""`ultracluster explain`."""

from __future__ import annotations

import sys
from dataclasses import asdict

from config.profile.reference import nearest
from config.rules import CODES, RULES
from config.rules.deployed import CODES as DEPLOYED
from config.rules.reports import reports_in
from scripts.cli.output import fact, line, write_json


def explain(wanted: str, *, as_json: bool) -> int:
    """One diagnostic code in full."""
    code = CODES.get(wanted.upper())
    if code is None:
        close = nearest(wanted, [known.lower() for known in CODES])
        hint = (
            f"did you mean {' or '.join(word.upper() for word in close)}?"
            if close
            else "docs/rules.md lists all codes"
        )
        print(f"error: no diagnostic has the code {wanted!r}\n  hint: {hint}", file=sys.stderr)
        if as_json:
            write_json({"error": f"no diagnostic has the code {wanted!r}", "hint": hint})
        return 2
    if as_json:
        write_json(asdict(code))
    else:
        line(f"{code.code} ({code.severity}): {code.holds}")
        fact("why", code.why)
        for name, address in reports_in(code.why).items():
            fact(name, address)
        if code in DEPLOYED and code not in {rule.code for rule in RULES}:
            fact("checked", "when a template is deployed on the embedded cloud, and when it is reviewed")
        fact("source", code.source)
    return 0
