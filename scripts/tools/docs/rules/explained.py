"""The examples of each code, with the findings of the bad examples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from config.rules.codes import CODES
from config.rules.example_rows import bad_example, good_example, reports_of
from config.rules.explained import Explained
from config.rules.reports import REPORTS, reports_in
from scripts.tools.docs.rules.examples import said_of


@lru_cache(maxsize=1)
def explanations() -> Mapping[str, Explained]:
    """Return each code with its examples, in the order of the codes."""
    return {code: _explained(code) for code in sorted(CODES)}


def _explained(code: str) -> Explained:
    bad, good = bad_example(code), good_example(code)
    said = next(said for said in said_of(bad) if said.path == bad.at)
    named = reports_in(CODES[code].why) | {name: REPORTS[name] for name in reports_of(code)}
    return Explained(
        language=bad.language,
        bad=bad.text,
        path=said.path,
        message=said.message,
        hint=said.hint,
        good=good.text,
        reports=dict(sorted(named.items())),
    )
