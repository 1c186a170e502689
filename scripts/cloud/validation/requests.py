"""Which request of a service creates or changes a resource, and which parameter each property becomes.

A row of the data names the operations: `create`, `update`, and `also` what else the provider calls. A
property becomes the parameter of its own name (first letter and separators apart) in the first that has one.
`names` says where it is another: a member (`workspaceName`), a member of another request of the row
(`AddRoleToInstanceProfile/RoleName`), or that request as a whole (`PutRolePolicy`); a list is then such a
request for each item. `apart` are properties that are no parameter, or one of another shape; `filled` are
members that a request requires and the provider fills in. Paths have no list indexes and no keys of maps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from .shapes import model_of, shape_named

_DATA = Path(__file__).parent / "data" / "requests"
_SEPARATORS = re.compile(r"[^a-z0-9]")


@dataclass(frozen=True, slots=True)
class Request:
    """An operation of a service."""

    service: str
    operation: str

    def __str__(self) -> str:
        return f"{self.service}:{self.operation}"

    @property
    def input(self) -> str:
        """The name of the structure that the operation takes."""
        name: str = model_of(self.service)["operations"][self.operation]["input"]["shape"]
        return name


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one resource type is compared with; the first request creates."""

    requests: tuple[Request, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()
    filled: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """Where values stand in a request: the name of a shape.

    `named` when the table says so, not the property's own name; `whole` for the input of an operation, whose
    other parameters come from elsewhere.
    """

    service: str
    shape: str
    named: bool = False
    whole: bool = False

    @property
    def item(self) -> Place:
        """Where the items of a list stand."""
        return Place(self.service, shape_named(self.service, self.shape)["member"]["shape"])

    @property
    def value(self) -> Place:
        """Where the values of a map stand."""
        return Place(self.service, shape_named(self.service, self.shape)["value"]["shape"])


@lru_cache(maxsize=1)
def rows() -> Mapping[str, Row]:
    """Resource type to row."""
    found: dict[str, Row] = {}
    for path in sorted(_DATA.glob("*.yaml")):
        for kind, row in yaml.load(path.read_bytes(), Loader=_LOADER).items():
            found[kind] = _row(row)
    return found


def request_of(resource_type: str) -> str | None:
    """The request that creates a resource of a type, as `fsx:CreateFileSystem`."""
    row = rows().get(resource_type)
    return str(row.requests[0]) if row else None


_LOADER = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # written in C where PyYAML was built so: ten times faster


def _row(row: Mapping[str, Any]) -> Row:
    stated = [row["create"], *([row["update"]] if "update" in row else []), *row.get("also", ())]
    return Row(
        requests=tuple(Request(*name.split(":")) for name in stated),
        names=row.get("names", {}),
        apart=frozenset(row.get("apart", ())),
        filled=frozenset(row.get("filled", ())),
    )


@lru_cache(maxsize=4096)
def place_of(resource_type: str, path: str) -> Place | None:
    """Where the property at a path stands in its type's requests; None for what is compared with nothing."""
    row = rows()[resource_type]
    above, _, name = path.rpartition("/")
    if path in row.apart or name == "Tags":
        return None
    if not above:
        return _parameter(row, name)
    home = place_of(resource_type, above)
    structure = home and _structure(home)
    if not home or not structure:
        return None
    return _within(home.service, structure, row.names.get(path), name)


def _structure(place: Place) -> str | None:
    """The structure that a place holds, alone or in a list."""
    name = place.shape
    while (shape := shape_named(place.service, name))["type"] in ("list", "map"):
        name = shape["member" if shape["type"] == "list" else "value"]["shape"]
    return name if shape["type"] == "structure" else None


def _parameter(row: Row, name: str) -> Place | None:
    """Where a property of the resource itself stands."""
    stated = row.names.get(name)
    operation, _, rest = (stated or "").partition("/")
    for request in row.requests:
        if operation == request.operation:
            if not rest:
                return Place(request.service, request.input, named=True, whole=True)
            return _within(request.service, request.input, rest, name)
    found = (_within(request.service, request.input, stated, name) for request in row.requests)
    return next((place for place in found if place is not None), None)


def _within(service: str, structure: str, stated: str | None, name: str) -> Place | None:
    """The member of a structure that the table states, else the one of the same name."""
    for step in (stated or name).split("/"):
        member = members(service, structure).get(plain(step))
        if member is None:
            return None
        structure = shape_named(service, structure)["members"][member]["shape"]
    return Place(service, structure, named=stated is not None)


@lru_cache(maxsize=2048)
def members(service: str, structure: str) -> Mapping[str, str]:
    """The members of a structure by their plain names; nothing for another kind of shape."""
    return {plain(name): name for name in shape_named(service, structure).get("members", {})}


@lru_cache(maxsize=8192)
def plain(name: str) -> str:
    """A name without what CloudFormation and the services write differently."""
    return _SEPARATORS.sub("", name.lower())


def missing(resource_type: str, path: str, place: Place, given: Iterable[str]) -> list[str]:
    """The members that a structure requires and neither the properties nor the provider give."""
    required = () if place.whole else shape_named(place.service, place.shape).get("required", ())
    if not required:
        return []
    row = rows()[resource_type]
    stated = {plain(row.names.get(f"{path}/{name}", name).split("/")[0]) for name in given}
    return [m for m in required if plain(m) not in stated and f"{path}/{m}" not in row.filled]
