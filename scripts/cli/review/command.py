"""`ultracluster review`."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scripts.cli.output import line, refuse, write_json, write_problem
from scripts.cli.review.errors import UnusableError
from scripts.cli.review.forms.markdown import as_markdown, problems_as_markdown
from scripts.cli.review.forms.summary import headline
from scripts.cli.review.forms.text import write_text
from scripts.cli.review.inputs.load import Options, UnusableInputsError, load_sides
from scripts.cli.review.report import Report, review_sides


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The options of the command. `under` requires `changed`; `output` is the path of a file."""

    old: str
    new: str
    profile: str | None = None
    changed: bool = False
    under: tuple[str, ...] = ()
    orchestrator: str | None = None
    region: str | None = None
    form: Literal["text", "markdown", "json"] = "text"
    output: str | None = None


def review(request: Request) -> int:
    """Report the effects of a deployment of NEW onto a stack that was deployed from OLD."""
    if request.under and not request.changed:
        return refuse("--under requires --changed", "add --changed, or remove --under")
    try:
        report = _report(request)
    except UnusableInputsError as error:
        return _unusable(request, error.problems)
    except UnusableError as error:
        both = {"OLD": request.old, "NEW": request.new}
        sided = [(_side(problem), problem) for problem in error.problems]
        return _unusable(
            request, [(side, both[side], UnusableError([text], error.hint)) for side, text in sided]
        )
    if not _written(request, lambda: _write(report, request.form)):
        return 2
    if request.output is not None:
        line(f"{headline(report)}: written to {request.output}")
    return report.exit_status


def _report(request: Request) -> Report:
    if request.changed:
        from scripts.cli.review.changed import review_changed
        from scripts.cli.review.inputs.changed import Options as Changes

        changes = Changes(folder=Path.cwd(), under=request.under, orchestrator=request.orchestrator)
        return review_changed(request.old, request.new, changes)
    options = Options(folder=Path.cwd(), profile=request.profile, orchestrator=request.orchestrator)
    return review_sides(*load_sides(request.old, request.new, options), region=request.region)


def _write(report: Report, form: str) -> None:
    if form == "json":
        from scripts.cli.review.forms.as_json import as_json

        write_json(as_json(report))
    elif form == "markdown":
        print(as_markdown(report), end="")
    else:
        write_text(report)


def _written(request: Request, write: Callable[[], None]) -> bool:
    """Write to the terminal or the file; if the file cannot be written, report it and return False."""
    if request.output is None:
        write()
        return True
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        write()
    try:
        Path(request.output).write_text(text.getvalue(), encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        write_problem(
            f"{request.output} cannot be written: {reason.lower()}", "use a file in an existing folder"
        )
        return False
    return True


def _side(problem: str) -> str:
    """Return the side that a problem belongs to; return NEW for a problem of both sides."""
    return "OLD" if problem.startswith("the old template") else "NEW"


def _unusable(request: Request, problems: list[tuple[str, str, UnusableError]]) -> int:
    rows = [
        (side, argument, problem, error.hint)
        for side, argument, error in problems
        for problem in error.problems
    ]
    if request.form == "json":
        from scripts.cli.review.forms.as_json import problems_as_json

        _written(request, lambda: write_json(problems_as_json(rows)))
    elif request.form == "markdown":
        _written(request, lambda: print(problems_as_markdown(rows), end=""))
    for side, argument, error in problems:
        *first, last = [p if argument in p else f"{argument}: {p}" for p in error.problems]
        for named in first:
            write_problem(f"{side}: {named}", None)
        write_problem(f"{side}: {last}", error.hint)
    return 2
