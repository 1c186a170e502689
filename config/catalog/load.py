"""From rows to types. What a row may hold is checked by ``check``, in the tests, not on each start."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from config.catalog.capacity.control_planes import (
    CapacityBlockTerms,
    ControlPlane,
    Reservations,
    ServiceEndpoint,
    TrainingPlanTerms,
)
from config.catalog.files import DATA, INSTANCE_FILES, KINDS, LATER, Row, indexes, interfaces, read, rows
from config.catalog.hardware import (
    Gpu,
    GpuFit,
    InstanceType,
    Layout,
    LocalNvme,
    NetworkCard,
    Price,
    Sources,
    UltraServer,
)
from config.catalog.model import Catalog, Claim, Conflict, UnlaidType
from config.catalog.network.places import LustreOffer, Region, Zone, zones_of
from config.catalog.storage.lustre import ClientCeiling, Lustre, LustreKind, LustreTier, MetadataStep, Tiering
from config.catalog.storage.lustre_speeds import lustre_speeds

Value = TypeVar("Value")
Prices = Mapping[str, tuple[Price, ...]]


def load(folder: Path = DATA) -> Catalog:
    """Read the data files and build the catalogue."""
    docs = read(folder, without=LATER)
    prices = _prices(docs["prices"])
    gpus = {
        name: Gpu(key=name, **{**row, "sources": tuple(row["sources"])}) for name, row in _plain(docs["gpus"])
    }
    units = docs["ultraservers"]
    regions = {name: _region(name, row) for name, row in rows(docs["regions"])}
    return Catalog(
        generated=max(date.fromisoformat(doc["generated"]) for doc in docs.values()),
        gpus=_frozen(gpus),
        instances=_frozen(
            {
                name: _instance(name, row, gpus, prices)
                for file in INSTANCE_FILES
                for name, row in rows(docs[file])
            }
        ),
        ultraservers=_frozen({name: _ultraserver(name, row, prices) for name, row in rows(units)}),
        unlaid=_frozen({name: _unlaid(name, row) for name, row in units["unlaid"].items()}),
        regions=_frozen(regions),
        zones=_frozen(zones_of(regions)),
        control_planes=_frozen(
            {name: _control_plane(name, row) for name, row in rows(docs["orchestrators"])}
        ),
        reservations=_reservations(docs["reservations"]),
        endpoints=_frozen({name: _endpoint(name, row) for name, row in rows(docs["endpoints"])}),
        lustre=_lustre(docs["lustre"]),
        lustre_speeds=lustre_speeds(docs["lustre-speeds"]),
        conflicts=tuple(_conflict(row) for row in docs["conflicts"]["rows"]),
        sources=_frozen(docs["sources"]["sources"]),
    )


def _plain(document: Row) -> list[tuple[str, dict[str, Any]]]:
    return list(document["rows"].items())


def _frozen(values: Mapping[str, Value]) -> Mapping[str, Value]:
    return MappingProxyType(dict(values))


def _sources(row: Row) -> Sources:
    return MappingProxyType({field: tuple(keys) for field, keys in row["sources"].items()})


def _prices(document: Row) -> Prices:
    found: dict[str, tuple[Price, ...]] = {}
    for sheet in document["sheets"]:
        as_of = date.fromisoformat(sheet["as_of"])
        for subject, figure in sheet["usd_per_hour"].items():
            low, high = figure if isinstance(figure, list) else (None, figure)
            found[subject] = found.get(subject, ()) + tuple(
                Price(
                    usd_per_hour=high,
                    usd_per_hour_min=low,
                    region=region,
                    kind=sheet["kind"],
                    as_of=as_of,
                    source=sheet["source"],
                    note=sheet["note"],
                )
                for region in sheet["regions"]
            )
    return found


def _instance(name: str, row: Row, gpus: Mapping[str, Gpu], prices: Prices) -> InstanceType:
    own = {
        "gpu": _gpu_fit(row["gpu"], gpus),
        "cards": cards_of(row),
        "layouts": _frozen({key: _layout(key, layout) for key, layout in row["layouts"].items()}),
        "layouts_absent": _frozen(row["layouts_absent"]),
        "local_nvme": row["local_nvme"] and LocalNvme(**row["local_nvme"]),
        "capacity_kinds": frozenset(row["capacity_kinds"]),
        "capacity_kinds_uncertain": frozenset(row["capacity_kinds_uncertain"]),
        "eks_ami_types": tuple(row["eks_ami_types"]),
        "capacity_block_regions": tuple(row["capacity_block_regions"]),
        "on_demand_regions": tuple(row["on_demand_regions"]),
        "sources": _sources(row),
        "notes": tuple(row.get("notes", ())),
    }
    return InstanceType(name=name, prices=prices.get(name, ()), **{**row, **own})


def _gpu_fit(row: Row | None, gpus: Mapping[str, Gpu]) -> GpuFit | None:
    if row is None:
        return None
    return GpuFit(gpu=gpus[row["ref"]], count=row["count"], memory_gib_each=row["memory_gib_each"])


def cards_of(row: Row) -> tuple[NetworkCard, ...]:
    """Expand the card groups of an instance row."""
    cards = (card for group in row["cards"] for card in _cards(group))
    return tuple(sorted(cards, key=lambda card: card.index))


def _cards(group: Row) -> list[NetworkCard]:
    supports = frozenset(KINDS[kind] for kind in group["supports"])
    return [
        NetworkCard(
            index=index,
            max_interfaces=group["max_interfaces"],
            supports=supports,
            efa_gbps_max=group["efa_gbps_max"],
            ena_gbps_max=group["ena_gbps_max"],
            nic_pair=_pair(group.get("nic_pairs", ()), index),
            gpu_pair=_pair(group.get("gpu_pairs", ()), index),
            note=group.get("note", ""),
        )
        for index in indexes(group["index"])
    ]


def _pair(pairs: Sequence[Sequence[int]], index: int) -> tuple[int, int] | None:
    return next(((first, second) for first, second in pairs if index in (first, second)), None)


def _layout(name: str, row: Row) -> Layout:
    expanded = {"interfaces": interfaces(row["interfaces"]), "source": tuple(row["source"])}
    return Layout(name=name, **{**row, **expanded})


def _ultraserver(name: str, row: Row, prices: Prices) -> UltraServer:
    own = {"sources": _sources(row), "notes": tuple(row.get("notes", ()))}
    return UltraServer(name=name, prices=prices.get(name, ()), **{**row, **own})


def _unlaid(name: str, row: Row) -> UnlaidType:
    return UnlaidType(name=name, reason=row["reason"], sources=tuple(row["sources"]))


def _region(name: str, row: Row) -> Region:
    own = {
        "lustre": _lustre_offer(row["lustre"]),
        "zones": tuple(_zone(name, zone) for zone in row.get("zones", ())),
        "sources": _sources(row),
    }
    return Region(name=name, **{**row, **own})


def _control_plane(name: str, row: Row) -> ControlPlane:
    own = {
        "roles": tuple(row["roles"]),
        "capacity_kinds": frozenset(row["capacity_kinds"]),
        "capacity_refused": _frozen(row["capacity_refused"]),
        "versions": tuple(row["versions"]),
        "sources": _sources(row),
    }
    return ControlPlane(name=name, **{**row, **own})


def _endpoint(name: str, row: Row) -> ServiceEndpoint:
    own = {"control_planes": tuple(row["control_planes"]), "sources": _sources(row)}
    return ServiceEndpoint(name=name, **{**row, **own})


def _reservations(document: Row) -> Reservations:
    plan = document["training_plan"]
    return Reservations(
        capacity_block=CapacityBlockTerms(**document["capacity_block"]),
        training_plan=TrainingPlanTerms(**{**plan, "sizes": tuple(plan["sizes"])}),
        sources=_sources(document),
    )


def _zone(region: str, row: Row) -> Zone:
    own = {
        "instance_types": tuple(row["instance_types"]),
        "lustre": _lustre_offer(row["lustre"]),
        "sources": _sources(row),
    }
    return Zone(region=region, **{**row, **own})


def _lustre_offer(row: Row | None) -> LustreOffer | None:
    if row is None:
        return None
    return LustreOffer(throughputs_mbps_per_tib=tuple(row["throughputs_mbps_per_tib"]), efa=row["efa"])


def _lustre(document: Row) -> Lustre:
    tiers = {
        int(key): LustreTier(throughput_mbps_per_tib=int(key), **{**row, "sources": tuple(row["sources"])})
        for key, row in document["tiers"].items()
    }
    steps = tuple(
        MetadataStep(from_gib=gib, iops=iops) for gib, iops in document["metadata"]["metadata_steps"]
    )
    own = {
        "kinds": tuple(_lustre_kind(row) for row in document["kinds"]),
        "tiering": _tiering(document["tiering"]),
        **{name: tuple(types) for name, types in document["gpudirect"].items()},
        "tiers": MappingProxyType(tiers),
        "metadata_steps": steps,
        "metadata_iops_small": tuple(document["metadata"]["metadata_iops_small"]),
        "small_capacities_gib": tuple(document["capacity"]["small_capacities_gib"]),
        "client_ceilings": tuple(ClientCeiling(**row) for row in document["client_ceilings"]),
        "sources": _sources(document),
        "notes": tuple(document["notes"]),
    }
    return Lustre(**{**document["capacity"], **document["metadata"], **document["limits"], **own})


def _lustre_kind(row: Row) -> LustreKind:
    by_tier = {
        name: MappingProxyType({int(tier): gib for tier, gib in row[name].items()})
        for name in ("capacity_steps_gib", "gib_per_server")
    }
    lists = {name: tuple(row[name]) for name in ("small_capacities_gib", "versions", "sources")}
    return LustreKind(**{**row, **by_tier, **lists})


def _tiering(row: Row) -> Tiering:
    lists = {name: tuple(row[name]) for name in ("metadata_iops", "cache_gib")}
    return Tiering(**{**row, **lists})


def _conflict(row: Row) -> Conflict:
    return Conflict(**{**row, "values": tuple(Claim(**claim) for claim in row["values"])})
