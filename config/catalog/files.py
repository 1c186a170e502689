"""The data files as they are on disk: reading them, and the two short notations they use.

``"0-3"`` or ``"1,5,9"`` stands for network cards, both ends included; ``"1-3/0 efa-only"`` for an interface
on each of those cards, at that device index, of that type.
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
"""Files with a reader of their own, which reads them when they are asked for."""
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
    """The data files by name without ``.json``, in whatever folder below."""
    return {path.stem: path for path in folder.rglob("*.json")}


def frozen(value: Any) -> Any:
    """Return lists as tuples and mappings as read-only ones, at every depth."""
    inner = value.values() if isinstance(value, dict) else value
    made = [frozen(each) if isinstance(each, dict | list) else each for each in inner]
    return MappingProxyType(dict(zip(value, made, strict=True))) if isinstance(value, dict) else tuple(made)


def named(
    kind: Callable[..., Value], rows: Iterable[tuple[str, Row]], key: str = "name"
) -> Mapping[str, Value]:
    """Make each row one of a kind, which keeps the row's name in its field `key`."""
    return MappingProxyType({name: kind(**{key: name}, **row) for name, row in rows})


def facts_of(document: Row) -> dict[str, Any]:
    """Return what a file states, without the date and the sentence that each file begins with."""
    return {key: value for key, value in document.items() if key not in ("generated", "about")}


def read_one(name: str) -> Row:
    """Read one data file; what it holds is immutable."""
    document: Row = frozen(json.loads(paths()[name].read_bytes()))
    return document


def read(folder: Path = DATA, without: Collection[str] = ()) -> Documents:
    """Read the data files, keyed by their names without ``.json``."""
    found = paths(folder)
    return {name: json.loads(found[name].read_bytes()) for name in FILES if name not in without}


def rows(document: Row) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a file, each over the file's defaults, with the file's sources under its own."""
    defaults = document.get("defaults", {})
    common = document.get("sources", {})
    for name, row in document["rows"].items():
        own = row.get("sources")
        yield name, {**defaults, **row, "sources": MappingProxyType({**common, **own}) if own else common}


def version_parts(version: str) -> tuple[int, ...]:
    """`v1.6.0-eksbuild.1` as numbers, without the build: what is compared."""
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
