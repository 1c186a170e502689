"""A report as Markdown, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from config.diagnostics import has_errors
from scripts.cli.markdown import MAX_CHARACTERS, code, finding, folded, plain, table
from scripts.cli.review.differences.tables import (
    MONTH_HEADINGS,
    QUOTA_HEADINGS,
    cost_notes,
    cost_rows,
    quota_rows,
)
from scripts.cli.review.model import Change, Review
from scripts.cli.review.report import Report

from .order import by_layer, dangerous
from .summary import findings, headline, title
from .text import details

MARKER = "<!-- ultracluster review -->"
"""The first line of a comment. The workflow finds its earlier comment by this line."""
NOTHING = "<!-- nothing to review -->"
"""The last line of a report without profiles: the pull request then needs no comment."""
_FEWEST = 20


def as_markdown(report: Report) -> str:
    """Return the report; in a long report, only the most dangerous items of each list are shown."""
    shown = max((_longest(review) for review in report.stacks), default=0)
    blocks = _page(report, shown)
    while _length(blocks) > MAX_CHARACTERS and shown > _FEWEST:
        shown = max(shown // 2, _FEWEST)
        blocks = _page(report, shown)
    return _joined(blocks)


def problems_as_markdown(problems: Iterable[tuple[str, str, str, str | None]]) -> str:
    """Return the problems of the inputs: (OLD or NEW, argument, message, hint)."""
    lines = [
        f"- **{side}** {code(argument)}: {plain(message)}" + (f"  \n  hint: {plain(hint)}" if hint else "")
        for side, argument, message, hint in problems
    ]
    return _joined([MARKER, "### Review: the inputs could not be read", *lines])


def _longest(review: Review) -> int:
    lists: tuple[Sequence[object], ...] = (
        review.changes, review.diagnostics, review.gone, review.iam, review.network, review.quotas,
        review.waivers, review.costs.changes if review.costs else (),
    )  # fmt: skip
    return max(map(len, lists))


def _length(blocks: Iterable[str]) -> int:
    return sum(len(block) + 2 for block in blocks)


def _joined(blocks: list[str]) -> str:
    """Join whole sections up to the maximum length, because a cut table or fold would damage the comment."""
    if _length(blocks) <= MAX_CHARACTERS:
        return "\n\n".join(blocks) + "\n"
    kept: list[str] = []
    for block in blocks:
        if _length([*kept, block]) > MAX_CHARACTERS - 200:
            break
        kept.append(block)
    left = len(blocks) - len(kept)
    omitted = "1 more part is omitted" if left == 1 else f"{left} more parts are omitted"
    kept.append(f"({omitted}: run `ultracluster review` in a terminal)")
    return "\n\n".join(kept) + "\n"


def _page(report: Report, shown: int) -> list[str]:
    blocks = [MARKER, f"### Review: {code(report.old)} to {code(report.new)}"]
    if not report.stacks:
        return [*blocks, plain(headline(report)), NOTHING]
    # stacks with errors first: a long report is cut at the end
    stacks = sorted(report.stacks, key=lambda review: not has_errors(review.diagnostics))
    if len(stacks) > 1:
        blocks.append("\n".join([f"**{plain(headline(report))}**", "", *(f"- {_title(r)}" for r in stacks)]))
        stacks = [review for review in stacks if review.status != "unchanged"]
    for review in stacks:
        blocks += _stack(review, shown)
    return blocks


def _title(review: Review) -> str:
    found = findings(review)
    return f"**{plain(title(review))}**" + (f"; **{found}**" if found else "")


def _stack(review: Review, shown: int) -> Iterator[str]:
    yield _title(review)
    if review.diagnostics:
        yield _bullets([finding(diagnostic) for diagnostic in review.diagnostics], shown)
    worst, following = dangerous(review) if review.status != "added" else ([], [])
    if worst:
        yield f"**Replaced, deleted or interrupted**\n\n{_changes(worst, shown)}"
    if following:
        yield _folded(f"replaced as a consequence: {len(following)}", _changes(following, shown))
    yield from _differences(review, shown)
    if review.waivers:
        yield _bullets([f"- **waiver** {plain(waiver.sentence)}" for waiver in review.waivers], shown)
    if review.gone:
        bullets = [
            f"- {resolved.severity} {resolved.code} {code(resolved.path)}: {plain(resolved.message)}"
            for resolved in review.gone
        ]
        yield f"**Resolved findings**\n\n{_bullets(bullets, shown)}"
    if review.status != "added":
        for layer, changes in by_layer(review):
            yield _folded(f"{layer}, other changes: {len(changes)}", _changes(changes, shown))


def _differences(review: Review, shown: int) -> Iterator[str]:
    """Yield exposure, price, quotas, permissions and network; for a new stack, only wide permissions."""
    new = review.status == "added"
    exposed = [change for change in review.network if change.is_exposed]
    if exposed:
        yield f"**Exposed to the internet**\n\n{_bullets([_sentence(c.sentence) for c in exposed], shown)}"
    if review.costs:
        rows = cost_rows(review.costs, months=True)
        notes = "".join(f"\n- {plain(note)}" for note in cost_notes(review.costs)[:shown])
        yield f"**Price**\n\n{_table(MONTH_HEADINGS, rows[:-1], shown, rows[-1])}" + (notes and f"\n{notes}")
    if review.quotas:
        yield f"**Quotas**\n\n{_table(QUOTA_HEADINGS, quota_rows(review.quotas), shown)}"
    wide = [change for change in review.iam if change.is_wide]
    if wide:
        yield f"**Wide permissions**\n\n{_bullets([_sentence(c.sentence) for c in wide], shown)}"
    if new:
        return
    others = [_sentence(change.sentence) for change in review.iam if not change.is_wide]
    if others:
        yield _folded(f"permissions, other changes: {len(others)}", _bullets(others, shown))
    ways = [_sentence(change.sentence) for change in review.network if not change.is_exposed]
    if ways:
        yield _folded(f"network access, added or removed: {len(ways)}", _bullets(ways, shown))


def _sentence(text: str) -> str:
    return f"- {plain(text)}"


def _bullets(lines: list[str], shown: int) -> str:
    left = len(lines) - shown
    return "\n".join([*lines[:shown], *([f"- and {left} more"] if left > 0 else [])])


def _folded(summary: str, inside: str) -> str:
    return folded(plain(summary), inside)


def _changes(changes: list[Change], shown: int) -> str:
    left = len(changes) - shown
    rows = table(("action", "layer", "resource", "changes"), map(_row, changes[:shown]))
    noun = "change" if left == 1 else "changes"
    return rows + (f"\n\nand {left} less dangerous {noun}" if left > 0 else "")


def _table(
    headings: Sequence[str], rows: list[tuple[str, ...]], shown: int, last: tuple[str, ...] | None = None
) -> str:
    left = len(rows) - shown
    kept = [*rows[:shown], *([(f"and {left} more", *[""] * (len(headings) - 1))] if left > 0 else [])]
    kept += [last] if last else []
    return table(headings, [[plain(cell) for cell in row] for row in kept])


def _row(change: Change) -> tuple[str, ...]:
    said = "<br>".join(code(detail) for detail in details(change))
    return change.action.value, change.layer, f"{code(change.logical_id)}<br>{code(change.type)}", said
