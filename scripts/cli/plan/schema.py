"""The JSON Schema of `ultracluster plan --json`, generated from the dataclasses of the plan."""

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
    """The JSON output of the command."""

    __pydantic_config__ = COMPLETE

    plan: Annotated[
        PlanReport | None, Field(description="Null if the profile has errors; the diagnostics list them.")
    ]
    diagnostics: Annotated[tuple[Diagnostic, ...], Field(description="Errors first, waived findings last.")]


def json_schema() -> dict[str, Any]:
    """Return the schema; a plan contains each key of the schema, and no other keys."""
    later = {"FitReport": FitReport, "JobsReport": JobsReport}
    return json_schema_of(_Document, "ultracluster plan", later=later)
