"""Stacks of one side of a review."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from config.diagnostics import Diagnostic
from scripts.cloud.template.document import Template

if TYPE_CHECKING:
    from config.design.report.plan import PlanReport


@dataclass(frozen=True, kw_only=True)
class StackTemplate:
    """The template of one stack. Unknown fields are None, such as the name if the input is a template file.

    `found` has the findings of the rules for the profile, and `plan` has its price and quotas; both are None
    if the input is not a profile.
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
    """The user's argument for OLD or NEW, and the stacks that the argument names."""

    argument: str
    stacks: tuple[StackTemplate, ...]
