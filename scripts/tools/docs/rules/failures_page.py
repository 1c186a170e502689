"""docs/reference/public-failures.md: what went wrong for others, and what here makes it impossible."""

from __future__ import annotations

from config.rules.reports import AREAS, FAILURES, FailureReport
from scripts.tools.docs.markdown import page, table
from scripts.tools.docs.rules.failures import codes_by_report, tests_by_report
from scripts.tools.docs.rules.rules_page import link

_INTRO = """What people who provision GPU clusters on AWS ran into and told of in public. Each report has
the codes that refuse what leads there (`ultracluster explain CODE`), and the tests that show it: either the
fault is refused, or what is generated cannot have it. A report without a test belongs to a part of the
product that is still to come; its heading says which."""


def failures_page() -> str:
    """One table for each part of the product."""
    codes, tests = codes_by_report(), tests_by_report()
    parts = [_INTRO]
    for area, about in AREAS.items():
        members = {name: report for name, report in FAILURES.items() if report.area == area}
        done = sum(name in tests for name in members)
        parts.append(f"## {area.title()}")
        parts.append(f"{about[0].upper()}{about[1:]}: {done} of {len(members)} have their tests.")
        rows = [
            _row(name, report, codes.get(name, []), tests.get(name, []))
            for name, report in sorted(members.items())
        ]
        parts.append(table(("report", "what happened", "refused by", "shown by"), rows))
    return page("Public failures", *parts)


def _row(name: str, report: FailureReport, codes: list[str], tests: list[str]) -> tuple[str, ...]:
    links = ", ".join(map(link, codes))
    shown = "; ".join(_short(test) for test in tests)
    return f"[{name}]({report.source})", report.what, links or "-", shown or "to come"


def _short(test: str) -> str:
    """A test by its name alone; a row of a rule's examples by its code and name."""
    return f"`{test.rpartition('::')[2]}`"
