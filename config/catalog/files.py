"""Reader of the catalogue's data files and of the two short notations in these files.

``"0-3"`` or ``"1,5,9"`` are network cards, both ends included. ``"1-3/0 efa-only"`` is an ``efa-only``
interface at device index 0 on each of these cards.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from config.catalog.hardware import Interface, InterfaceType

Row = Mapping[str, Any]
Documents = Mapping[str, Row]
Value = TypeVar("Value")

DATA = Path(__file__).parent / "data"
INSTANCE_FILES = ("gpu-instances", "g6-instances", "cpu-instances")
KINDS = {kind.value: kind for kind in InterfaceType}
LATER = (
    "lustre-clients", "charts", "hyperpod-eks", "kubernetes-components", "metrics", "dcgm-fields", "xids",
    "artefacts", "registries", "fit", "service-prices", "service-quotas", "durations", "openzfs",
    "s3-express", "pcs", "eks", "slurm-settings", "checkpoints",
)  # fmt: skip
"""Files that other modules read on first use; the catalogue's loader does not read them."""
FILES = (
    "sources",
    "gpus",
    *INSTANCE_FILES,
    "ultraservers",
    "prices",
    "regions",
    "orchestrators",
    "reservations",
    "endpoints",
    "lustre",
    "lustre-speeds",
    "conflicts",
    *LATER,
)


@cache
def paths(folder: Path = DATA) -> Mapping[str, Path]:
    """Return the paths of all data files in a folder and its subfolders, by name without ``.json``."""
    return {path.stem: path for path in folder.rglob("*.json")}


def frozen(value: Any) -> Any:
    """Return the value with lists as tuples and dicts as read-only mappings, at every depth."""
    inner = value.values() if isinstance(value, dict) else value
    made = [frozen(each) if isinstance(each, dict | list) else each for each in inner]
    return MappingProxyType(dict(zip(value, made, strict=True))) if isinstance(value, dict) else tuple(made)


def named(
    kind: Callable[..., Value], rows: Iterable[tuple[str, Row]], key: str = "name"
) -> Mapping[str, Value]:
    """Create an object of type `kind` from each row; the object's field `key` is the row's name."""
    return MappingProxyType({name: kind(**{key: name}, **row) for name, row in rows})


def facts_of(document: Row) -> dict[str, Any]:
    """Return a data file's content, without the date and the description."""
    return {key: value for key, value in document.items() if key not in ("generated", "about")}


def read_one(name: str) -> Row:
    """Read a data file as an immutable mapping."""
    document: Row = frozen(json.loads(paths()[name].read_bytes()))
    return document


def read(folder: Path = DATA, without: Collection[str] = ()) -> Documents:
    """Read the data files, keyed by their names without ``.json``."""
    found = paths(folder)
    return {name: json.loads(found[name].read_bytes()) for name in FILES if name not in without}


def rows(document: Row) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a file, each merged with the file's defaults and sources."""
    defaults = document.get("defaults", {})
    common = document.get("sources", {})
    for name, row in document["rows"].items():
        own = row.get("sources")
        yield name, {**defaults, **row, "sources": MappingProxyType({**common, **own}) if own else common}


def version_parts(version: str) -> tuple[int, ...]:
    """Return a version as numbers for comparison, without its build: `v1.6.0-eksbuild.1` is (1, 6, 0)."""
    return tuple(int(part) for part in version.removeprefix("v").partition("-")[0].split("."))


def indexes(text: str) -> list[int]:
    """Expand ``"0-3"``, ``"1,5,9"`` or ``"7"`` into numbers."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def interfaces(lines: Iterable[str]) -> tuple[Interface, ...]:
    """Expand lines such as ``"1-3/0 efa-only"`` into interfaces, by card and then by device."""
    return _interfaces(tuple(lines))


@cache
def _interfaces(lines: tuple[str, ...]) -> tuple[Interface, ...]:
    found = []
    for line in lines:
        place, kind = line.split(" ")
        cards, device = place.split("/")
        found += [(card, int(device), kind) for card in indexes(cards)]
    return tuple(
        Interface(network_card_index=card, device_index=device, interface_type=KINDS[kind])
        for card, device, kind in sorted(found)
    )
