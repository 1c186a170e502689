"""`ultracluster review`."""

from __future__ import annotations

from pathlib import Path

from scripts.cli.output import write_json, write_problem
from scripts.review.as_json import as_json, problems_as_json
from scripts.review.errors import UnusableError
from scripts.review.inputs.load import Options, UnusableInputsError, load_sides
from scripts.review.markdown import as_markdown
from scripts.review.report import review_sides
from scripts.review.text import write_text


def review(
    old: str, new: str, *, profile: str | None, orchestrator: str | None, region: str | None, form: str
) -> int:
    """Tell what a deployment of NEW does to what was deployed from OLD."""
    options = Options(folder=Path.cwd(), profile=profile, orchestrator=orchestrator)
    try:
        sides = load_sides(old, new, options)
        report = review_sides(*sides, region=region)
    except UnusableInputsError as error:
        return _unusable(error.problems, form)
    except UnusableError as error:
        both = {"OLD": old, "NEW": new}
        sided = [(_side(problem), problem) for problem in error.problems]
        return _unusable(
            [(side, both[side], UnusableError([told], error.hint)) for side, told in sided], form
        )
    if form == "json":
        write_json(as_json(report))
    elif form == "markdown":
        print(as_markdown(report), end="")
    else:
        write_text(report)
    return report.exit_status


def _side(problem: str) -> str:
    """The side that a problem belongs to; what both cannot agree on is NEW's."""
    return "OLD" if problem.startswith("the old template") else "NEW"


def _unusable(problems: list[tuple[str, str, UnusableError]], form: str) -> int:
    told = [
        (side, given, problem, error.hint) for side, given, error in problems for problem in error.problems
    ]
    if form == "json":
        write_json(problems_as_json(told))
    for side, given, error in problems:
        *first, last = [p if given in p else f"{given}: {p}" for p in error.problems]
        for named in first:
            write_problem(f"{side}: {named}", None)
        write_problem(f"{side}: {last}", error.hint)
    return 2
