"""A report as text for a terminal of any width."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from scripts.cli.output import console, heading, line, write_diagnostics
from scripts.cli.review.model import ACTIONS, Action, Change, Edit, Review
from scripts.cli.review.report import Report
from scripts.cli.review.texts import step
from scripts.cloud.template.updates import NEEDS_REPLACEMENT, Effect

from .differences import bullet, write_differences
from .order import by_layer, dangerous
from .summary import fate, findings, headline, title

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
    """Write the changes of every stack (the most dangerous first), its other differences and its findings."""
    line(f"{report.old} -> {report.new}")
    if len(report.stacks) != 1:
        line(headline(report))
    for review in report.stacks:
        found = findings(review)
        heading(title(review) + (f"; {found}" if found else ""))
        if review.status != "added":
            _write_changes(review)
        write_differences(review)
        for waiver in review.waivers:
            line(waiver.sentence)
        if review.diagnostics:
            heading("findings")
            write_diagnostics(review.diagnostics)
        if review.gone:
            heading("resolved findings")
            for resolved in review.gone:
                bullet(f"{resolved.severity}[{resolved.code}] {resolved.path}: {resolved.message}")


def _write_changes(review: Review) -> None:
    """Write the dangerous changes, then all other changes by layer."""
    worst, following = dangerous(review)
    for change in worst:
        _write_change(change)
    if following:
        heading("replaced as a consequence")
    for change in following:
        _write_change(change)
    for layer, changes in by_layer(review):
        heading(layer)
        for change in changes:
            _write_change(change)


def _write_change(change: Change) -> None:
    head = Text(change.action.value, style=_STYLES[change.action])
    head.append(f"  {change.layer}  ", style="dim")
    head.append(change.logical_id, style="bold")
    head.append(f"  {change.type}", style="dim")
    console().print(head)
    for detail in details(change):
        bullet(detail)


def details(change: Change) -> Iterator[str]:
    """Yield the details of a change: the fate of the old resource, each property, other attributes."""
    if old_resource := fate(change):
        yield old_resource
    deciding = change.deciding
    for edit in (*deciding, *(edit for edit in change.edits if edit not in deciding)):
        yield _detail(change, edit, len(deciding) < len(change.edits))
    for fault in change.faults:
        yield f"rejected: {fault}"
    if change.attributes:
        yield f"{', '.join(change.attributes)}: used by CloudFormation only, not sent to the service"


def _detail(change: Change, edit: Edit, mixed: bool) -> str:
    """Return one property with its values, and its effect if that differs from the resource's action."""
    decides = edit in change.deciding
    more = []
    if decides and mixed and change.action in (Action.REPLACE, Action.REFUSED):
        more = ["AWS rejects this change" if change.action is Action.REFUSED else change.action.value]
    elif not decides and change.action is not Action.REPLACE and edit.effect is not Effect.IN_PLACE:
        more = [ACTIONS[edit.effect].value]
    if edit.reason and (decides or change.action not in (Action.REPLACE, Action.REFUSED)):
        more.append(f"it {edit.reason}" if edit.reason.startswith(NEEDS_REPLACEMENT) else edit.reason)
    text = step(edit)
    if more == [Action.REPLACE.value] and text.endswith("must be replaced"):
        more = []
    return text + (f" ({': '.join(more)})" if more else "")
