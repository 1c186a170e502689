"""A report for people at a terminal, of any width."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from scripts.cli.output import console, heading, line, write_diagnostics
from scripts.cloudformation.updates import Effect

from .model import ACTIONS, Action, Change, Edit
from .report import Report
from .summary import fate, findings, title
from .words import step

_STYLES = {
    Action.REFUSED: "bold red",
    Action.REPLACE: "bold red",
    Action.DELETE: "bold red",
    Action.MAY_REPLACE: "yellow",
    Action.INTERRUPTION: "yellow",
    Action.RETAIN: "yellow",
    Action.IN_PLACE: "cyan",
    Action.ADD: "green",
    Action.UNTOUCHED: "dim",
}


def write_text(report: Report) -> None:
    """Every stack with its changes, the most dangerous first, then its diagnostics."""
    line(f"{report.old} -> {report.new}")
    for review in report.stacks:
        found = findings(review)
        heading(title(review) + (f"; {found}" if found else ""))
        if review.status != "added":
            for change in review.changes:
                _write_change(change)
        for waiver in review.waivers:
            line(waiver.sentence)
        if review.diagnostics:
            heading("diagnostics")
            write_diagnostics(review.diagnostics)


def _write_change(change: Change) -> None:
    head = Text(change.action.value, style=_STYLES[change.action])
    head.append(f"  {change.layer}  ", style="dim")
    head.append(change.logical_id, style="bold")
    head.append(f"  {change.type}", style="dim")
    console().print(head)
    for detail in details(change):
        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row(" -", detail)
        console().print(grid)


def details(change: Change) -> Iterator[str]:
    """What else there is to say of a change: the old one's fate, each property, other attributes."""
    if told := fate(change):
        yield told
    deciding = change.deciding
    for edit in (*deciding, *(edit for edit in change.edits if edit not in deciding)):
        yield _detail(change, edit, len(deciding) < len(change.edits))
    for fault in change.faults:
        yield f"refused: {fault}"
    if change.attributes:
        yield f"{', '.join(change.attributes)}: CloudFormation's own, which the service never sees"


def _detail(change: Change, edit: Edit, mixed: bool) -> str:
    """One property: its values, and what its change does where the whole does not say so already."""
    decides = edit in change.deciding
    more = []
    if decides and mixed and change.action in (Action.REPLACE, Action.REFUSED):
        more = [change.action.value]
    elif not decides and change.action is not Action.REPLACE and edit.effect is not Effect.IN_PLACE:
        more = [ACTIONS[edit.effect].value]
    if edit.reason and (decides or change.action not in (Action.REPLACE, Action.REFUSED)):
        more.append(edit.reason)
    return step(edit) + (f" ({': '.join(more)})" if more else "")
