"""One side of a review: its stacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from config.diagnostics import Diagnostic
from scripts.cloud.template.document import Template

if TYPE_CHECKING:
    from config.design.report.plan import PlanReport


@dataclass(frozen=True, kw_only=True)
class StackTemplate:
    """One stack's template. What its source does not say is None: a template file has no name.

    `found` is what the rules say of the profile that the template is of, `plan` what it costs and needs; None
    where it is of none.
    """

    template: Template
    name: str | None = None
    region: str | None = None
    account: str | None = None
    protected: bool | None = None
    found: tuple[Diagnostic, ...] | None = None
    plan: PlanReport | None = None


@dataclass(frozen=True)
class Side:
    """What the user named, and the stacks found there."""

    given: str
    stacks: tuple[StackTemplate, ...]
