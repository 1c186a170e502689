"""Loader that builds the catalogue from its data files. The tests validate the rows; the loader does not."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

from config.catalog.capacity.control_planes import (
    CapacityBlockTerms,
    ControlPlane,
    Reservations,
    ServiceEndpoint,
    TrainingPlanTerms,
)
from config.catalog.files import (
    DATA,
    INSTANCE_FILES,
    KINDS,
    LATER,
    Row,
    frozen,
    indexes,
    interfaces,
    named,
    read,
    rows,
)
from config.catalog.hardware import (
    Gpu,
    GpuFit,
    InstanceType,
    Layout,
    LocalNvme,
    NetworkCard,
    Price,
    UltraServer,
)
from config.catalog.model import Catalog, Claim, Conflict, UnlaidType
from config.catalog.network.regions import LustreOffer, Region, Zone, zones_of
from config.catalog.storage.lustre import ClientCeiling, Lustre, LustreKind, LustreTier, MetadataStep, Tiering
from config.catalog.storage.lustre_speeds import lustre_speeds

Prices = Mapping[str, tuple[Price, ...]]


def load(folder: Path = DATA) -> Catalog:
    """Read the data files and build the catalogue."""
    docs = frozen(read(folder, without=LATER))
    prices = _prices(docs["prices"])
    gpus = named(Gpu, docs["gpus"]["rows"].items(), key="key")
    units = docs["ultraservers"]
    regions = {name: _region(name, row) for name, row in rows(docs["regions"])}
    return Catalog(
        generated=max(date.fromisoformat(doc["generated"]) for doc in docs.values()),
        gpus=gpus,
        instances=MappingProxyType(
            {
                name: _instance(name, row, gpus, prices)
                for file in INSTANCE_FILES
                for name, row in rows(docs[file])
            }
        ),
        ultraservers=MappingProxyType(
            {name: UltraServer(name=name, prices=prices.get(name, ()), **row) for name, row in rows(units)}
        ),
        unlaid=named(UnlaidType, units["unlaid"].items()),
        regions=MappingProxyType(regions),
        zones=MappingProxyType(zones_of(regions)),
        control_planes=named(_control_plane, rows(docs["orchestrators"])),
        reservations=_reservations(docs["reservations"]),
        endpoints=named(ServiceEndpoint, rows(docs["endpoints"])),
        lustre=_lustre(docs["lustre"]),
        lustre_speeds=lustre_speeds(docs["lustre-speeds"]),
        conflicts=tuple(_conflict(row) for row in docs["conflicts"]["rows"]),
        sources=docs["sources"]["sources"],
    )


def _prices(document: Row) -> Prices:
    found: dict[str, tuple[Price, ...]] = {}
    for sheet in document["sheets"]:
        as_of = date.fromisoformat(sheet["as_of"])
        for subject, figure in sheet["usd_per_hour"].items():
            low, high = figure if isinstance(figure, tuple) else (None, figure)
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
        "layouts": named(_layout, row["layouts"].items()),
        "local_nvme": row["local_nvme"] and LocalNvme(**row["local_nvme"]),
        "capacity_kinds": frozenset(row["capacity_kinds"]),
        "capacity_kinds_uncertain": frozenset(row["capacity_kinds_uncertain"]),
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


def _layout(name: str, **row: Any) -> Layout:
    return Layout(name=name, **{**row, "interfaces": interfaces(row["interfaces"])})


def _region(name: str, row: Row) -> Region:
    own = {
        "lustre": _lustre_offer(row["lustre"]),
        "zones": tuple(_zone(name, zone) for zone in row.get("zones", ())),
    }
    return Region(name=name, **{**row, **own})


def _control_plane(name: str, **row: Any) -> ControlPlane:
    return ControlPlane(name=name, **{**row, "capacity_kinds": frozenset(row["capacity_kinds"])})


def _reservations(document: Row) -> Reservations:
    return Reservations(
        capacity_block=CapacityBlockTerms(**document["capacity_block"]),
        training_plan=TrainingPlanTerms(**document["training_plan"]),
        sources=document["sources"],
    )


def _zone(region: str, row: Row) -> Zone:
    return Zone(region=region, **{**row, "lustre": _lustre_offer(row["lustre"])})


def _lustre_offer(row: Row | None) -> LustreOffer | None:
    return None if row is None else LustreOffer(**row)


def _lustre(document: Row) -> Lustre:
    metadata = dict(document["metadata"])
    steps = metadata.pop("metadata_steps")
    return Lustre(
        kinds=tuple(_lustre_kind(row) for row in document["kinds"]),
        tiering=Tiering(**document["tiering"]),
        tiers=MappingProxyType(
            {
                int(key): LustreTier(throughput_mbps_per_tib=int(key), **row)
                for key, row in document["tiers"].items()
            }
        ),
        metadata_steps=tuple(MetadataStep(from_gib=gib, iops=iops) for gib, iops in steps),
        client_ceilings=tuple(ClientCeiling(**row) for row in document["client_ceilings"]),
        sources=document["sources"],
        notes=document["notes"],
        **document["gpudirect"],
        **document["capacity"],
        **metadata,
        **document["limits"],
    )


def _lustre_kind(row: Row) -> LustreKind:
    by_tier = {
        name: MappingProxyType({int(tier): gib for tier, gib in row[name].items()})
        for name in ("capacity_steps_gib", "gib_per_server")
    }
    return LustreKind(**{**row, **by_tier})


def _conflict(row: Row) -> Conflict:
    return Conflict(**{**row, "values": tuple(Claim(**claim) for claim in row["values"])})
