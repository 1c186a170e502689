"""Page docs/reference/public-failures.md: public failure reports, and the rules and tests against them."""

from __future__ import annotations

from config.rules.reports import AREAS, FAILURES, FailureReport
from scripts.tools.docs.markdown import page, table
from scripts.tools.docs.rules.failures import codes_by_report, tests_by_report
from scripts.tools.docs.rules.rules_page import link

_INTRO = """This page lists public reports of failures by users who provision GPU clusters on AWS. For each
report, it lists the rules that reject a profile or template with the cause (`ultracluster explain CODE`), and
the tests. The tests show that a rule rejects the cause, or that a generated template cannot contain it."""


def failures_page() -> str:
    """Return the page, with a table for each part of ultracluster."""
    codes, tests = codes_by_report(), tests_by_report()
    parts = [_INTRO]
    for area, about in AREAS.items():
        members = {name: report for name, report in FAILURES.items() if report.area == area}
        done = sum(name in tests for name in members)
        parts.append(f"## {area.title()}")
        parts.append(f"{about[0].upper()}{about[1:]}: {done} of {len(members)} have tests.")
        rows = [
            _row(name, report, codes.get(name, []), tests.get(name, []))
            for name, report in sorted(members.items())
        ]
        parts.append(table(("report", "failure", "rules", "tests"), rows))
    return page("Public failures", *parts)


def _row(name: str, report: FailureReport, codes: list[str], tests: list[str]) -> tuple[str, ...]:
    links = ", ".join(map(link, codes))
    shown = "; ".join(_short(test) for test in tests)
    return f"[{name}]({report.source})", report.what, links or "-", shown or "planned"


def _short(test: str) -> str:
    """Return the name of a test, or the code and the name of an example."""
    return f"`{test.rpartition('::')[2]}`"
