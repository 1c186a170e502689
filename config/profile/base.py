"""What all models of a profile share."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class Model(BaseModel):
    """A part of a profile: immutable, unknown keys refused, no silent conversion of types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


T = TypeVar("T")
Sequence = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]

Name = Annotated[
    str,
    Field(pattern=r"^[a-z]([a-z0-9-]*[a-z0-9])?$", min_length=1, max_length=32),
]
"""A name in a profile: lower-case letters, digits and inner hyphens, at most 32 characters."""

ZoneId = Annotated[str, Field(pattern=r"^[a-z]{2,6}[0-9]+(-[a-z]{3}[0-9]+)?-az[0-9]+$")]
"""An availability zone id, the same zone in every account: `usw2-az2`."""

ZoneName = Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-[0-9]+(-[a-z]{3}-[0-9]+)?[a-z]$")]
"""An availability zone name, mapped to a zone account by account: `us-west-2b`."""

Zone = Annotated[
    str,
    Field(
        pattern=r"^([a-z]{2}(-[a-z]+)+-[0-9]+(-[a-z]{3}-[0-9]+)?[a-z]|[a-z]{2,6}[0-9]+(-[a-z]{3}[0-9]+)?-az[0-9]+)$"
    ),
]
"""A zone by name or by id."""

Cidr = Annotated[str, Field(pattern=r"^([0-9]{1,3}\.){3}[0-9]{1,3}/[0-9]{1,2}$")]
"""An IPv4 block: `10.0.0.0/16`."""
