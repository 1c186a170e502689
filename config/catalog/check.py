"""Checks of the data files: what the loader takes on trust. Run by the tests, not on each start."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import get_args

from config.catalog.control_planes import (
    CapacityBlockTerms,
    ControlPlane,
    ServiceEndpoint,
    TrainingPlanTerms,
)
from config.catalog.files import INSTANCE_FILES, Documents, Row, interfaces, read, rows
from config.catalog.hardware import CapacityKind, Gpu, InstanceType, UltraServer
from config.catalog.load import cards_of
from config.catalog.places import Region, Zone
from config.catalog.proof import layout_faults

# a public page, a file of a public repository (owner/name:path@commit), or arithmetic
SOURCE = re.compile(r"https://\S+|[\w.-]+/[\w.-]+:\S+|arithmetic ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something wrong in a data file, and exactly where."""

    file: str
    row: str
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}.json: {self.row}: {self.field}: {self.message}"


def check(docs: Documents | None = None) -> list[Fault]:
    """Return every fault of the data files, or of the given documents; an empty list when all is well."""
    data = read() if docs is None else docs
    parts: tuple[Callable[[Documents], Iterator[Fault]], ...] = (
        _sources,
        _gpus,
        _instances,
        _ultraservers,
        _regions,
        _control_planes,
        _reservations,
        _endpoints,
        _prices,
        _lustre,
        _conflicts,
    )
    return [fault for part in parts for fault in part(data)]


def _known_places(docs: Documents) -> set[str]:
    regions = docs["regions"]["rows"]
    zones = (zone["name"] for row in regions.values() for zone in row.get("zones", ()))
    return {*regions, *(zone for zone in zones if zone)}


def _keys(docs: Documents, file: str, row: str, field: str, keys: Iterable[str]) -> Iterator[Fault]:
    """Check one list of source keys: not empty, and each one known."""
    listed = list(keys)
    if not listed:
        yield Fault(file=file, row=row, field=field, message="has no source")
    for key in listed:
        if key not in docs["sources"]["sources"]:
            yield Fault(file=file, row=row, field=field, message=f"source {key} is not in sources.json")


def _field_sources(docs: Documents, file: str, name: str, row: Row, known: set[str]) -> Iterator[Fault]:
    """Check a row's map from field to source keys."""
    if "*" not in row["sources"]:
        yield Fault(file=file, row=name, field="sources", message="no source for the whole row (*)")
    for field, keys in row["sources"].items():
        if field != "*" and field not in known:
            yield Fault(file=file, row=name, field=f"sources.{field}", message="is not a field of the row")
        yield from _keys(docs, file, name, f"sources.{field}", keys)


def _shape(file: str, name: str, row: Row, model: type, computed: set[str]) -> Iterator[Fault]:
    """Check that a row has every field of its type and no other."""
    optional = {"note", "notes", "zones"}
    expected = {field.name for field in fields(model)} - computed
    for field in sorted(expected - set(row) - optional):
        yield Fault(file=file, row=name, field=field, message="is missing")
    for field in sorted(set(row) - expected):
        yield Fault(file=file, row=name, field=field, message="is not a known field")


def _sources(docs: Documents) -> Iterator[Fault]:
    for key, text in docs["sources"]["sources"].items():
        if not SOURCE.match(text):
            message = f"neither a public address nor a repository file: {text}"
            yield Fault(file="sources", row=key, field="text", message=message)


def _gpus(docs: Documents) -> Iterator[Fault]:
    for name, row in docs["gpus"]["rows"].items():
        yield from _shape("gpus", name, row, Gpu, {"key"})
        yield from _keys(docs, "gpus", name, "sources", row.get("sources", ()))


def _instances(docs: Documents) -> Iterator[Fault]:
    for file in INSTANCE_FILES:
        for name, row in rows(docs[file]):
            faults = list(_shape(file, name, row, InstanceType, {"name", "prices"}))
            yield from faults or _instance(docs, file, name, row)


def _instance(docs: Documents, file: str, name: str, row: Row) -> Iterator[Fault]:
    yield from _field_sources(docs, file, name, row, set(row))
    if row["gpu"] and row["gpu"]["ref"] not in docs["gpus"]["rows"]:
        yield Fault(file=file, row=name, field="gpu.ref", message=f"{row['gpu']['ref']} is not in gpus.json")
    for field in ("capacity_block_regions", "on_demand_regions"):
        for place in sorted(set(row[field]) - _known_places(docs)):
            yield Fault(file=file, row=name, field=field, message=f"{place} is not in regions.json")
    cards = cards_of(row)
    total = sum(card.max_interfaces for card in cards)
    if total != row["max_interfaces"]:
        message = f"the cards take {total} interfaces, the type {row['max_interfaces']}"
        yield Fault(file=file, row=name, field="cards", message=message)
    if "ip-saving" not in row["layouts"]:
        yield Fault(file=file, row=name, field="layouts", message="ip-saving is missing")
    if ("max-ena" in row["layouts"]) == ("max-ena" in row["layouts_absent"]):
        message = "max-ena must be either a layout or absent with a reason"
        yield Fault(file=file, row=name, field="layouts_absent", message=message)
    for key, layout in row["layouts"].items():
        field = f"layouts.{key}"
        yield from _keys(docs, file, name, f"{field}.source", layout["source"])
        for message in layout_faults(cards, interfaces(layout["interfaces"]), row["max_efa"]):
            yield Fault(file=file, row=name, field=field, message=message)


def _ultraservers(docs: Documents) -> Iterator[Fault]:
    file = "ultraservers"
    known = {name for instances in INSTANCE_FILES for name in docs[instances]["rows"]}
    for name, row in rows(docs[file]):
        yield from _shape(file, name, row, UltraServer, {"name", "prices"})
        yield from _field_sources(docs, file, name, row, set(row))
        if row["instance_type"] not in known:
            message = f"{row['instance_type']} is not an instance type of the catalogue"
            yield Fault(file=file, row=name, field="instance_type", message=message)
        if row["zone"] not in _known_places(docs):
            yield Fault(file=file, row=name, field="zone", message=f"{row['zone']} is not in regions.json")
    for name, row in docs[file]["unlaid"].items():
        yield from _keys(docs, file, name, "sources", row["sources"])
        if name in known:
            yield Fault(file=file, row=name, field="unlaid", message="has a layout in the catalogue")


def _regions(docs: Documents) -> Iterator[Fault]:
    for name, row in rows(docs["regions"]):
        yield from _shape("regions", name, row, Region, {"name"})
        yield from _field_sources(docs, "regions", name, row, set(row))
        for zone in row.get("zones", ()):
            called = zone["name"] or zone["zone_id"]
            yield from _shape("regions", f"{name}: {called}", zone, Zone, {"region"})
            yield from _field_sources(docs, "regions", f"{name}: {called}", zone, set(zone))


def _control_planes(docs: Documents) -> Iterator[Fault]:
    file = "orchestrators"
    for name, row in rows(docs[file]):
        yield from _shape(file, name, row, ControlPlane, {"name"})
        yield from _field_sources(docs, file, name, row, set(row))
        told = {*row["capacity_kinds"], *row["capacity_refused"]}
        for kind in sorted(set(get_args(CapacityKind)) - told):
            message = f"{kind} is neither taken nor refused with a reason"
            yield Fault(file=file, row=name, field="capacity_refused", message=message)
        for kind in sorted(set(row["capacity_kinds"]) & set(row["capacity_refused"])):
            yield Fault(file=file, row=name, field="capacity_refused", message=f"{kind} is taken too")


def _reservations(docs: Documents) -> Iterator[Fault]:
    file, document = "reservations", docs["reservations"]
    block, plan = document["capacity_block"], document["training_plan"]
    yield from _shape(file, "capacity_block", block, CapacityBlockTerms, set())
    yield from _shape(file, "training_plan", plan, TrainingPlanTerms, set())
    known = {"capacity_block", "training_plan", *block, *plan}
    yield from _field_sources(docs, file, "file", document, known)


def _endpoints(docs: Documents) -> Iterator[Fault]:
    file = "endpoints"
    for name, row in rows(docs[file]):
        yield from _shape(file, name, row, ServiceEndpoint, {"name"})
        yield from _field_sources(docs, file, name, row, set(row))
        for plane in sorted(set(row["control_planes"]) - set(docs["orchestrators"]["rows"])):
            message = f"{plane} is no control plane"
            yield Fault(file=file, row=name, field="control_planes", message=message)


def _prices(docs: Documents) -> Iterator[Fault]:
    units = docs["ultraservers"]["rows"]
    known = {*units, *(name for file in INSTANCE_FILES for name in docs[file]["rows"])}
    for number, sheet in enumerate(docs["prices"]["sheets"]):
        row = f"sheets[{number}]"
        yield from _keys(docs, "prices", row, "source", [sheet["source"]])
        for name in sorted(set(sheet["usd_per_hour"]) - known):
            message = f"{name} is not in the catalogue"
            yield Fault(file="prices", row=row, field="usd_per_hour", message=message)
        for place in sorted(set(sheet["regions"]) - _known_places(docs)):
            message = f"{place} is not in regions.json"
            yield Fault(file="prices", row=row, field="regions", message=message)


def _lustre(docs: Documents) -> Iterator[Fault]:
    document = docs["lustre"]
    known = {"tiers", "client_ceilings", *document["capacity"], *document["metadata"], *document["limits"]}
    yield from _field_sources(docs, "lustre", "file", document, known)
    for name, row in document["tiers"].items():
        yield from _keys(docs, "lustre", f"tiers.{name}", "sources", row["sources"])


def _conflicts(docs: Documents) -> Iterator[Fault]:
    for number, row in enumerate(docs["conflicts"]["rows"]):
        where = f"rows[{number}] {row['subject']}"
        if len(row["values"]) < 2:
            yield Fault(file="conflicts", row=where, field="values", message="fewer than two claims")
        yield from _keys(docs, "conflicts", where, "values", [claim["source"] for claim in row["values"]])
