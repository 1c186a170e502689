"""The duration of an operation on AWS, and the chain of resources that determines this duration."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from config.catalog.durations import declared_s, is_unpublished
from scripts.cloud.template.timing import critical_path as chain

from .engine.stack import Span, Stack


def critical_path(stack: Stack) -> list[Span]:
    """Return the consecutive spans that determined the operation's duration, the first one first."""
    return chain(stack.timeline, stack.needs_of)


def _is_unpublished(span: Span) -> bool:
    return span.end_s > span.begin_s and is_unpublished(span.type, _made(span))


def _made(span: Span) -> str:
    """Return the action whose duration applies: a replacement lasts as long as a creation."""
    return "create" if span.action == "replace" else span.action


def _decisive(span: Span) -> dict[str, Any]:
    return asdict(span) | {"published": declared_s(span.type, _made(span)) is not None}


def report(stack: Stack) -> dict[str, Any]:
    """Return the last operation as data: total seconds, the critical path, and all spans.

    `unpublished` contains the spans of actions without a published duration, which the clock treats as
    instant.
    """
    return {
        "stack": stack.name,
        "status": stack.status,
        "seconds": stack.clock.elapsed_s,
        "critical_path": [_decisive(span) for span in critical_path(stack)],
        "unpublished": [asdict(span) for span in stack.timeline if _is_unpublished(span)],
        "spans": [asdict(span) for span in stack.timeline],
    }
