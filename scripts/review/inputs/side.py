"""One side of a review: its stacks."""

from __future__ import annotations

from dataclasses import dataclass

from scripts.cloudformation.template import Template


@dataclass(frozen=True, kw_only=True)
class StackTemplate:
    """One stack's template. What its source does not say is None: a template file has no name."""

    template: Template
    name: str | None = None
    region: str | None = None
    account: str | None = None
    protected: bool | None = None


@dataclass(frozen=True)
class Side:
    """What the user named, and the stacks found there."""

    given: str
    stacks: tuple[StackTemplate, ...]
