"""The JSON Schema of `ultracluster plan --json`, made from the dataclasses of the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from config.design.report.fit import FitReport
from config.design.report.jobs import JobsReport
from config.design.report.plan import PlanReport
from config.diagnostics import Diagnostic
from scripts.cli.json_schemas import COMPLETE, json_schema_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    """All that the command prints."""

    __pydantic_config__ = COMPLETE

    plan: Annotated[
        PlanReport | None, Field(description="Null for a profile with errors: the diagnostics say which.")
    ]
    diagnostics: Annotated[tuple[Diagnostic, ...], Field(description="Errors first, what is waived last.")]


def json_schema() -> dict[str, Any]:
    """The schema; every key is there in every plan, and there are no others."""
    later = {"FitReport": FitReport, "JobsReport": JobsReport}
    return json_schema_of(_Document, "ultracluster plan", later=later)
