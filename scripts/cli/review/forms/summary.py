"""One-line summaries of a review."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from config.diagnostics import counted
from scripts.cli.review.model import Action, Change, Policy, Review

if TYPE_CHECKING:
    from scripts.cli.review.report import Report

_WORDS = {
    Action.REFUSED: "rejected",
    Action.REPLACE: "replaced",
    Action.DELETE: "deleted",
    Action.MAY_REPLACE: "possibly replaced",
    Action.INTERRUPTION: "interrupted",
    Action.RETAIN: "retained outside of the stack",
    Action.IN_PLACE: "changed in place",
    Action.ADD: "added",
    Action.UNTOUCHED: "untouched",
}
_FATES = {
    Policy.RETAIN: "the old resource is retained outside of the stack",
    Policy.SNAPSHOT: "a snapshot of the old resource is retained",
}


_STATUSES = {
    "added": "new",
    "mended": "repaired",
    "refused": "invalid",
    "removed": "removed",
    "changed": "changed",
    "unchanged": "unchanged",
}


def headline(report: Report) -> str:
    """Return the number of stacks, and the number of stacks for each type of change."""
    if not report.stacks:
        return "no profile differs"
    counts = Counter(review.status for review in report.stacks)
    changes = ", ".join(f"{counts[status]} {word}" for status, word in _STATUSES.items() if counts[status])
    found = counted([d for review in report.stacks for d in review.diagnostics])
    stacks = "1 stack" if len(report.stacks) == 1 else f"{len(report.stacks)} stacks"
    return f"{stacks}: {changes}" + (f"; {found}" if found else "")


def title(review: Review) -> str:
    """Return the stack, its Region, its file, and the number of resources by action."""
    name = f"{review.stack or 'template'} ({review.region})"
    name += f", {review.profile}" if review.profile else ""
    if review.status == "refused":
        return f"{name}: the profile has errors and cannot be deployed"
    if review.status == "mended":
        return f"{name}: OLD has errors and could not be deployed; NEW is valid"
    if review.status == "removed":
        return f"{name}: removed from the app"
    if review.status == "unchanged":
        return f"{name}: no changes"
    added = "new stack, " if review.status == "added" else ""
    counts = [f"{review.counts[a.value]} {_WORDS[a]}" for a in Action if review.counts.get(a.value)]
    return f"{name}: {added}{', '.join(counts) or 'no resource changes'}"


def findings(review: Review) -> str:
    """Return the number of errors, warnings, notes and waived findings; empty if there are none."""
    return counted(review.diagnostics)


def fate(change: Change) -> str:
    """Return a text about the old resource if it is not deleted, such as a snapshot; else an empty text."""
    return _FATES.get(change.policy, "") if change.policy and change.action is not Action.RETAIN else ""
