"""A stack's review in one line."""

from __future__ import annotations

from config.diagnostics import counted

from .model import Action, Change, Policy, Review

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


def title(review: Review) -> str:
    """The stack, its Region, and what becomes of how many resources."""
    name = f"{review.stack or 'template'} ({review.region})"
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
