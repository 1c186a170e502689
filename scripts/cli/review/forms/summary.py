"""A stack's review in one line."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from config.diagnostics import counted
from scripts.cli.review.model import Action, Change, Policy, Review

if TYPE_CHECKING:
    from scripts.cli.review.report import Report

_WORDS = {
    Action.REFUSED: "refused",
    Action.REPLACE: "replaced",
    Action.DELETE: "deleted",
    Action.MAY_REPLACE: "perhaps replaced",
    Action.INTERRUPTION: "interrupted",
    Action.RETAIN: "left behind",
    Action.IN_PLACE: "changed in place",
    Action.ADD: "added",
    Action.UNTOUCHED: "untouched",
}
_FATES = {Policy.RETAIN: "the old one is left behind", Policy.SNAPSHOT: "the old one leaves a snapshot"}


_STATUSES = {
    "added": "new",
    "mended": "mended",
    "refused": "refused",
    "removed": "gone",
    "changed": "changed",
    "unchanged": "unchanged",
}


def headline(report: Report) -> str:
    """All stacks in one line: how many of them change, and how."""
    if not report.stacks:
        return "no profile changes"
    counts = Counter(review.status for review in report.stacks)
    told = ", ".join(f"{counts[status]} {word}" for status, word in _STATUSES.items() if counts[status])
    found = counted([d for review in report.stacks for d in review.diagnostics])
    return f"{len(report.stacks)} stacks: {told}" + (f"; {found}" if found else "")


def title(review: Review) -> str:
    """The stack, its Region, its file, and what becomes of how many resources."""
    name = f"{review.stack or 'template'} ({review.region})"
    name += f", {review.profile}" if review.profile else ""
    if review.status == "refused":
        return f"{name}: nothing can be deployed from it"
    if review.status == "mended":
        return f"{name}: nothing could be deployed from OLD; NEW is valid"
    if review.status == "removed":
        return f"{name}: no longer in the app"
    if review.status == "unchanged":
        return f"{name}: no changes"
    added = "a new stack, " if review.status == "added" else ""
    counts = [f"{review.counts[a.value]} {_WORDS[a]}" for a in Action if review.counts.get(a.value)]
    return f"{name}: {added}{', '.join(counts) or 'no resource changes'}"


def findings(review: Review) -> str:
    """How many errors, warnings and notes there are, and how many of them are waived; empty for none."""
    return counted(review.diagnostics)


def fate(change: Change) -> str:
    """What becomes of the old resource, where its policy says something else than deletion."""
    return _FATES.get(change.policy, "") if change.policy and change.action is not Action.RETAIN else ""
