"""JSON Schemas of the commands' JSON output, from the types of their data."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

COMPLETE = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)
"""Configuration of a class whose JSON document has every key of the class, and no other keys."""


class Schemas(GenerateJsonSchema):
    """A schema generator that omits field titles, and names definitions after their class and module."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Return False for every field."""
        return False

    def normalize_name(self, name: str) -> str:
        """Return the name of a definition. If two classes share a name: `report_jobs.QuotaReport`."""
        return super().normalize_name(name.replace("config.design.report.", "report_")).replace("__", ".")


def json_schema_of(
    kind: Any,
    title: str,
    *,
    later: dict[str, Any] | None = None,
    generator: type[GenerateJsonSchema] = Schemas,
) -> dict[str, Any]:
    """Return the schema of a document type; `later` are names that modules import only for type checkers."""
    adapter = TypeAdapter(kind)
    adapter.rebuild(_types_namespace=later)
    schema = adapter.json_schema(
        mode="serialization", schema_generator=generator, union_format="primitive_type_array"
    )
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema, "title": title}
