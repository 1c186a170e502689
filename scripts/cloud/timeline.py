"""How long an operation would have taken on AWS, and the chain of resources that decided it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .durations import is_unpublished, stated_s
from .engine.stack import Span, Stack


def critical_path(stack: Stack) -> list[Span]:
    """The spans that follow each other to the operation's end, the first one first.

    Of those that ended when a span began, the one that it stands on is taken.
    """
    left = [span for span in stack.timeline if span.end_s > span.begin_s]
    if not left:
        return []
    path = [max(left, key=lambda span: (span.end_s, span.begin_s))]
    while True:
        first = path[0]
        before = [s for s in left if s is not first and s.end_s == first.begin_s and s not in path]
        if not before:
            return path
        needs = stack.needs_of(first.logical_id)
        path.insert(0, max(before, key=lambda span: (span.logical_id in needs, span.begin_s)))


def _is_unpublished(span: Span) -> bool:
    return span.end_s > span.begin_s and is_unpublished(span.type, _made(span))


def _made(span: Span) -> str:
    """The action that a figure is of: a replacement takes as long as its creation."""
    return "create" if span.action == "replace" else span.action


def _decisive(span: Span) -> dict[str, Any]:
    return asdict(span) | {"published": stated_s(span.type, _made(span)) is not None}


def report(stack: Stack) -> dict[str, Any]:
    """The last operation as data: seconds in all, the critical path, every span.

    `unpublished` has the spans of actions whose time no source tells: the clock gave them next to nothing.
    """
    return {
        "stack": stack.name,
        "status": stack.status,
        "seconds": stack.clock.elapsed_s,
        "critical_path": [_decisive(span) for span in critical_path(stack)],
        "unpublished": [asdict(span) for span in stack.timeline if _is_unpublished(span)],
        "spans": [asdict(span) for span in stack.timeline],
    }
