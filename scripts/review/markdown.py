"""A report as Markdown, for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.diagnostics import Diagnostic

from .model import Change, Review
from .report import Report
from .summary import findings, title
from .text import details

# GitHub takes comments of up to 65,536 characters
MAX_CHARACTERS = 60_000
_ALWAYS_SHOWN = 20
_MENTION = re.compile(r"[^\s`]*@[^\s`]*")


def as_markdown(report: Report) -> str:
    """The whole report; of a long one the least dangerous changes are only counted."""
    shown = max((len(review.changes) for review in report.stacks), default=0)
    text = _page(report, shown)
    while len(text) > MAX_CHARACTERS and shown > _ALWAYS_SHOWN:
        shown = max(shown // 2, _ALWAYS_SHOWN)
        text = _page(report, shown)
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}\n\n(cut off)\n"


def _page(report: Report, shown: int) -> str:
    parts = [f"### Review: {code(report.old)} to {code(report.new)}"]
    for review in report.stacks:
        parts += _stack(review, shown)
    return "\n\n".join(parts) + "\n"


def _stack(review: Review, shown: int) -> Iterator[str]:
    found = findings(review)
    yield f"**{plain(title(review))}**" + (f"; **{found}**" if found else "")
    if review.waivers:
        yield "\n".join(f"- **waiver** {plain(waiver.sentence)}" for waiver in review.waivers)
    if review.diagnostics:
        yield "\n".join(_diagnostic(diagnostic) for diagnostic in review.diagnostics)
    if review.changes and review.status != "added":
        head = ["| what happens | layer | resource | changes |", "| --- | --- | --- | --- |"]
        yield "\n".join(head + [_row(change) for change in review.changes[:shown]])
        if len(review.changes) > shown:
            yield f"and {len(review.changes) - shown} less dangerous changes more"


def _diagnostic(found: Diagnostic) -> str:
    is_address = found.source.startswith("https://")
    source = f"[source]({found.source})" if is_address else f"source: {plain(found.source)}"
    mark = "" if found.waived is None else "waived "
    reason = "" if found.waived is None else f"  waived: {plain(found.waived)}  \n"
    return (
        f"- **{mark}{found.severity} {found.code}** {code(found.path)}: {plain(found.message)}  \n{reason}"
        f"  hint: {plain(found.hint)} ({source})"
    )


def _row(change: Change) -> str:
    said = "<br>".join(code(detail) for detail in details(change))
    cells = (change.action.value, change.layer, f"{code(change.logical_id)}<br>{code(change.type)}", said)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def code(text: str) -> str:
    """Text as code: nothing in it is Markdown, HTML or a mention of somebody."""
    text = " ".join(text.split())
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def plain(text: str) -> str:
    """A sentence with its own code in backticks; the rest of Markdown's signs mean themselves."""
    text = " ".join(text.split())
    if text.count("`") % 2:
        text = text.replace("`", "'")
    parts = text.split("`")
    parts[::2] = [_MENTION.sub(lambda found: f"`{found[0]}`", _escaped(part)) for part in parts[::2]]
    return "`".join(parts)


def _escaped(text: str) -> str:
    escaped = re.sub(r"([\\*_\[\]#~])", r"\\\1", text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
