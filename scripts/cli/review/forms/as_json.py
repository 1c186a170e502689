"""A report as data; `schema` says what it keeps to."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from scripts.cli.review.differences.money import Costs
from scripts.cli.review.model import ACTIONS, Action, Change, Edit, Review
from scripts.cli.review.report import Report

VERSION = 1
"""Goes up when a key changes its meaning or goes; a new key does not change it."""


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON-ready data."""
    return {
        "version": VERSION,
        "old": report.old,
        "new": report.new,
        "exit_status": report.exit_status,
        "stacks": [_stack(review) for review in report.stacks],
    }


def problems_as_json(problems: list[tuple[str, str, str, str | None]]) -> dict[str, Any]:
    """What is wrong with the inputs: (OLD or NEW, what was given, message, hint)."""
    keys = ("input", "given", "message", "hint")
    return {
        "version": VERSION,
        "exit_status": 2,
        "problems": [dict(zip(keys, p, strict=True)) for p in problems],
    }


def _stack(review: Review) -> dict[str, Any]:
    return {
        "name": review.stack,
        "region": review.region,
        "status": review.status,
        "counts": {action.value: review.counts.get(action.value, 0) for action in Action},
        "changes": [_change(change) for change in review.changes],
        "diagnostics": [diagnostic.as_dict() for diagnostic in review.diagnostics],
        "waivers": [asdict(waiver) for waiver in review.waivers],
        "profile": review.profile,
        "iam": [
            {**asdict(change), "widens": change.widens, "sentence": change.sentence} for change in review.iam
        ],
        "network": [{**asdict(change), "sentence": change.sentence} for change in review.network],
        "costs": _costs(review.costs) if review.costs else None,
        "quotas": [{**asdict(quota), "must_be_raised": quota.must_be_raised} for quota in review.quotas],
        "gone": [diagnostic.as_dict() for diagnostic in review.gone],
    }


def _costs(costs: Costs) -> dict[str, Any]:
    return {
        "before_usd_per_hour": costs.before_usd_per_hour,
        "after_usd_per_hour": costs.after_usd_per_hour,
        "usd_per_hour": costs.usd_per_hour,
        "before_usd_per_month": costs.before_usd_per_month,
        "after_usd_per_month": costs.after_usd_per_month,
        "usd_per_month": costs.usd_per_month,
        "unpriced": list(costs.unpriced),
        "changes": [
            {
                "item": change.item,
                "before": asdict(change.before) if change.before else None,
                "after": asdict(change.after) if change.after else None,
                "usd_per_hour": change.usd_per_hour,
                "usd_per_month": change.usd_per_month,
            }
            for change in costs.changes
        ],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "logical_id": change.logical_id,
        "type": change.type,
        "layer": change.layer,
        "action": change.action.value,
        "policy": change.policy.value if change.policy else None,
        "because": list(change.because),
        "attributes": list(change.attributes),
        "faults": list(change.faults),
        "reason": change.reason,
        "source": change.source,
        "properties": [_property(edit) for edit in change.edits],
    }


def _property(edit: Edit) -> dict[str, Any]:
    return {
        "path": edit.name,
        "before": edit.before,
        "after": edit.after,
        "effect": ACTIONS[edit.effect].value,
        "because": list(edit.because),
        "reason": edit.reason,
        "source": edit.source,
    }
