"""JSON Schemas of what commands print with `--json`, from the types of their data."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

COMPLETE = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)
"""For a class and all that it holds: every key is in the document, and there are no others."""


class Schemas(GenerateJsonSchema):
    """Fields without titles, which would repeat their names; plans name definitions by class and module."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """False for every field."""
        return False

    def normalize_name(self, name: str) -> str:
        """A definition's name: `report_jobs.QuotaReport` where two classes share the last word."""
        return super().normalize_name(name.replace("config.design.report.", "report_")).replace("__", ".")


def json_schema_of(
    kind: Any,
    title: str,
    *,
    later: dict[str, Any] | None = None,
    generator: type[GenerateJsonSchema] = Schemas,
) -> dict[str, Any]:
    """The schema of a kind of document; `later` are names that modules import for type checkers alone."""
    adapter = TypeAdapter(kind)
    adapter.rebuild(_types_namespace=later)
    schema = adapter.json_schema(
        mode="serialization", schema_generator=generator, union_format="primitive_type_array"
    )
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema, "title": title}
