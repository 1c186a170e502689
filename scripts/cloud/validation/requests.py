"""The API request that creates or changes a resource, and the request parameter of each property.

A row of the data names the operations: `create`, `update`, and `also` for other requests of the provider. A
property becomes the parameter of the same name in the first operation that has this parameter; letter case
and separators are ignored. The other keys of a row are:

* `names`: properties with another parameter name. The value is a member (`workspaceName`), a member of
  another request of the row (`AddRoleToInstanceProfile/RoleName`), or that whole request (`PutRolePolicy`).
  If the property is a list, the provider sends one such request for each item.
* `apart`: properties that are not a parameter, or that have another shape in the request.
* `filled`: members that a request requires and that the provider fills in.

Paths do not contain list indexes or map keys.
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
        """Return the name of the operation's input structure."""
        name: str = model_of(self.service)["operations"][self.operation]["input"]["shape"]
        return name


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the data: the requests of one resource type, of which the first creates the resource."""

    requests: tuple[Request, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()
    filled: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """The shape that a request has for a property's value.

    `named` is True if the row names the parameter, and False if the parameter has the property's name.
    `whole` is True if the shape is the whole input of an operation.
    """

    service: str
    shape: str
    named: bool = False
    whole: bool = False

    @property
    def item(self) -> Place:
        """Return the shape of a list's items."""
        return Place(self.service, shape_named(self.service, self.shape)["member"]["shape"])

    @property
    def value(self) -> Place:
        """Return the shape of a map's values."""
        return Place(self.service, shape_named(self.service, self.shape)["value"]["shape"])


@lru_cache(maxsize=1)
def rows() -> Mapping[str, Row]:
    """Return the rows by resource type."""
    found: dict[str, Row] = {}
    for path in sorted(_DATA.glob("*.yaml")):
        for kind, row in yaml.load(path.read_bytes(), Loader=_LOADER).items():
            found[kind] = _row(row)
    return found


def request_of(resource_type: str) -> str | None:
    """Return the request that creates a resource of a type, for example `fsx:CreateFileSystem`."""
    row = rows().get(resource_type)
    return str(row.requests[0]) if row else None


_LOADER = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # the C loader is ten times faster, if PyYAML was built with it


def _row(row: Mapping[str, Any]) -> Row:
    declared = [row["create"], *([row["update"]] if "update" in row else []), *row.get("also", ())]
    return Row(
        requests=tuple(Request(*name.split(":")) for name in declared),
        names=row.get("names", {}),
        apart=frozenset(row.get("apart", ())),
        filled=frozenset(row.get("filled", ())),
    )


@lru_cache(maxsize=4096)
def place_of(resource_type: str, path: str) -> Place | None:
    """Return the shape of a property in its type's requests; None if the property is not compared."""
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
    """Return the name of the structure that a shape is or that its list or map contains, otherwise None."""
    name = place.shape
    while (shape := shape_named(place.service, name))["type"] in ("list", "map"):
        name = shape["member" if shape["type"] == "list" else "value"]["shape"]
    return name if shape["type"] == "structure" else None


def _parameter(row: Row, name: str) -> Place | None:
    """Return the shape of a top-level property in the requests."""
    declared = row.names.get(name)
    operation, _, rest = (declared or "").partition("/")
    for request in row.requests:
        if operation == request.operation:
            if not rest:
                return Place(request.service, request.input, named=True, whole=True)
            return _within(request.service, request.input, rest, name)
    found = (_within(request.service, request.input, declared, name) for request in row.requests)
    return next((place for place in found if place is not None), None)


def _within(service: str, structure: str, declared: str | None, name: str) -> Place | None:
    """Return the shape of the member that the row names; by default the member has the property's name."""
    for step in (declared or name).split("/"):
        member = members(service, structure).get(plain(step))
        if member is None:
            return None
        structure = shape_named(service, structure)["members"][member]["shape"]
    return Place(service, structure, named=declared is not None)


@lru_cache(maxsize=2048)
def members(service: str, structure: str) -> Mapping[str, str]:
    """Return the members of a structure by their plain names; empty for other shapes."""
    return {plain(name): name for name in shape_named(service, structure).get("members", {})}


@lru_cache(maxsize=8192)
def plain(name: str) -> str:
    """Return a name in lower case without separators, so that spellings of one name are equal."""
    return _SEPARATORS.sub("", name.lower())


def missing(resource_type: str, path: str, place: Place, properties: Iterable[str]) -> list[str]:
    """Return a structure's required members that neither the properties nor the provider set."""
    required = () if place.whole else shape_named(place.service, place.shape).get("required", ())
    if not required:
        return []
    row = rows()[resource_type]
    declared = {plain(row.names.get(f"{path}/{name}", name).split("/")[0]) for name in properties}
    return [m for m in required if plain(m) not in declared and f"{path}/{m}" not in row.filled]
