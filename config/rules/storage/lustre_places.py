"""Where Lustre file systems stand: what a place offers, quotas, and connections of clients."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from config.catalog import LustreKind, catalog
from config.design.capacity.groups import lustre_connections
from config.design.model import Design
from config.design.nodes.file_system_clients import over_ena
from config.design.storage.bandwidth import MBPS_PER_GBPS
from config.design.zones import is_local_zone
from config.diagnostics import Path
from config.profile.storage.lustre import AnyLustre, NewLustre
from config.rules.parts import either, new_lustre
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_FSX = "https://docs.aws.amazon.com/fsx/latest/LustreGuide"
_TYPES = f"{_FSX}/using-fsx-lustre.html"
_ZONES = "region availability_zone availability_zone_id"


@rule(
    "LUS003", ERROR, "the file system is one that its zone offers",
    why="Several Regions and Local Zones have fewer tiers, or no EFA, or no persistent-2 at all.",
    source=_TYPES, reads=f"storage {_ZONES}", where="persistent-2",
    ages="what each Region and Local Zone offers of Lustre",
)  # fmt: skip
def place_offers_the_file_system(design: Design) -> Iterator[Finding]:
    """Tiers and EFA of the zone, else of the Region; an unknown place is not judged."""
    offer, place = catalog().lustre_offer(design.profile.region, design.profile.zone)
    for at, lustre in new_lustre(design) if offer is not None else ():
        assert offer is not None
        tiers = offer.throughputs_mbps_per_tib
        stated = lustre.throughput_mbps_per_tib
        if lustre.deployment != "persistent-2":
            continue
        if not tiers:
            yield Finding(
                at=at, message=f"persistent-2 is not offered in {place}", hint="take a Region that offers it"
            )
        elif lustre.storage == "ssd" and stated in catalog().lustre.tiers and stated not in tiers:
            yield Finding(
                at=(*at, "throughput_mbps_per_tib"),
                message=f"{place} does not offer {stated} MB/s/TiB",
                hint=f"use {either(sorted(tiers))}",
            )
        if tiers and lustre.efa and not offer.efa:
            yield Finding(
                at=(*at, "efa"), message=f"{place} does not offer Lustre with EFA", hint="write `efa: false`"
            )


@rule(
    "LUS005", ERROR, "a file system has an EFA connection for every client interface",
    why="A file system takes 1024 EFA connections; further clients fall back to TCP, at a tenth of the speed, without an error.",
    source=f"{_FSX}/configure-efa-clients.html", reads="storage data compute",
    where="lustre-efa data", ages="how many EFA connections a file system takes",
)  # fmt: skip
def efa_connections_suffice(design: Design) -> Iterator[Finding]:
    """Clients x interfaces against the limit, which is the same for each file system."""
    if not any(system.efa for system in design.file_systems):
        return
    limit = catalog().lustre.max_efa_connections
    needed = _connections(design)
    data = design.profile.data
    others = (data.other_efa_connections or 0) if data and _shares_efa(design) else 0
    if needed + others > limit:
        each = [(group, lustre_connections(group)) for group in design.groups]
        parts = ", ".join(
            f"{group.count} x {interfaces} for {group.name}" for group, interfaces in each if interfaces
        )
        beside = f", other clusters {others}" if others else ""
        yield Finding(
            at=("compute", "groups"),
            message=f"the nodes need {needed} EFA connections to the file system ({parts}){beside}, it takes {limit}",
            hint="use fewer nodes, or a second cluster with a file system of its own",
        )


def _connections(design: Design) -> int:
    return sum(group.count * lustre_connections(group) for group in design.groups)


def _shares_efa(design: Design) -> bool:
    """Whether a file system with EFA is the data profile's, to which other clusters attach too."""
    own = {system.name for system in design.own_file_systems}
    return any(system.efa and system.name not in own for system in design.file_systems)


@rule(
    "LUS036", NOTE, "what other clusters take of the EFA connections of a shared file system is stated",
    why="A data profile does not know its clusters, and no cluster the others: only together they are above 1024 "
    "connections, and further clients fall back to TCP without an error.",
    source=f"{_FSX}/configure-efa-clients.html", reads="storage data compute", where="data",
)  # fmt: skip
def other_clusters_are_counted(design: Design) -> Iterator[Finding]:
    """A cluster that opens EFA connections to a data profile's file system."""
    data, needed = design.profile.data, _connections(design)
    left = catalog().lustre.max_efa_connections - needed
    if data and data.other_efa_connections is None and needed and left >= 0 and _shares_efa(design):
        yield Finding(
            at=("data",),
            message=f"the nodes open {needed} of the {needed + left} EFA connections that a file system of "
            f"{data.profile} takes, which leaves {left} for all other clusters on it",
            hint="write `other_efa_connections`: what the others open, as `ultracluster plan` says for each, or 0",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """What a file system takes of a default quota; `key` is where the profile states it."""

    of: str
    amount: int
    most: int
    unit: str
    key: str


@rule(
    "LUS006", WARNING, "file systems are within the default quota",
    why="An account has 100800 GiB of persistent-2 storage in a Region until the quota is raised, and as much of "
    "persistent-1 and of scratch; one file system on hard disks has 102000 GiB, and Intelligent-Tiering 100000 MB/s and "
    "100800 GiB of read cache. No page states a size that no quota reaches.",
    source=f"{_FSX}/limits.html", reads="storage", where="lustre",
)  # fmt: skip
def capacity_is_within_the_quota(design: Design) -> Iterator[Finding]:
    """The file systems of each kind together against their default quota; on hard disks, each by itself."""
    made = [row for row in design.lustre_kinds if row[1].kind == "new"]
    if len(made) == 1 and (made[0][1].capacity_gib or 0) <= (made[0][2].quota_gib or -1):
        return
    uses: dict[tuple[str, ...], list[tuple[Path, _Use]]] = {}
    for i, (at, lustre, kind) in enumerate(made):
        for use in _quota_uses(lustre, kind):
            alone = (str(i),) if kind.storage == "hdd" else ()
            uses.setdefault((use.of, use.unit, *alone), []).append((at, use))
    for rows in uses.values():
        total, (at, use) = sum(row.amount for _, row in rows), rows[-1]
        if total > use.most:
            several = f" of {len(rows)} file systems together" if len(rows) > 1 else ""
            yield Finding(
                at=(*at, use.key),
                message=f"{total} {use.unit}{several} is above the default quota of {use.most} {use.unit} for {use.of}",
                hint="ask for a higher quota of FSx for Lustre before deploying",
            )


def _quota_uses(lustre: AnyLustre, kind: LustreKind) -> Iterator[_Use]:
    if kind.quota_gib is not None:
        gib = lustre.capacity_gib or 0
        yield _Use(of=kind.name, amount=gib, most=kind.quota_gib, unit="GiB", key="capacity_gib")
        return
    facts = catalog().lustre.tiering
    mbps = lustre.throughput_mbps or 0
    yield _Use(of=kind.name, amount=mbps, most=facts.quota_mbps, unit="MB/s", key="throughput_mbps")
    cache = lustre.read_cache.size_gib if isinstance(lustre, NewLustre) and lustre.read_cache else None
    if cache is not None:
        most = facts.quota_cache_gib
        yield _Use(of=kind.name, amount=cache, most=most, unit="GiB of read cache", key="read_cache")


@rule(
    "LUS008", NOTE, "EFA is on where the file system is fast enough to need it",
    why="AWS recommends EFA from about 10 GB/s on; and only EFA clients reach the few large servers of such a file system at speed.",
    source=f"{_FSX}/efa-file-systems.html", reads=f"storage {_ZONES}", where="lustre",
)  # fmt: skip
def efa_is_worthwhile(design: Design) -> Iterator[Finding]:
    """Fast file systems without EFA, where EFA is to be had."""
    offer, _ = catalog().lustre_offer(design.profile.region, design.profile.zone)
    if offer is not None and not offer.efa:
        return
    threshold = catalog().lustre.efa_worthwhile_above_mbps
    for at, _, plan in design.planned_lustre:
        if plan.existing is None and plan.kind.efa and not plan.efa and plan.throughput_mbps > threshold:
            unit = "" if plan.elastic else " and a capacity that is a multiple of the tier's unit"
            yield Finding(
                at=(*at, "efa"),
                message=f"{plan.throughput_mbps:.0f} MB/s without EFA: AWS recommends EFA above {threshold} MB/s, and it is fixed at creation",
                hint=f"write `efa: true`{unit}",
            )


@rule(
    "LUS009", WARNING, "what a Local Zone offers of Lustre is known",
    why="The Local Zones that are known offer 125 and 250 MB/s/TiB without EFA; another one may refuse the file system.",
    source=_TYPES, reads=f"storage {_ZONES}", where="local-zone",
)  # fmt: skip
def local_zone_is_known(design: Design) -> Iterator[Finding]:
    """A file system in a Local Zone that the catalogue does not have."""
    zone = design.profile.zone
    if zone and is_local_zone(zone) and catalog().zone(zone) is None:
        for at, _ in new_lustre(design):
            yield Finding(
                at=at,
                message=f"no source says what FSx for Lustre offers in {zone}",
                hint="ask AWS before deploying; other Local Zones take 125 or 250 MB/s/TiB and `efa: false`",
            )


@rule(
    "LUS028", WARNING, "machines that compute reach an EFA file system over EFA",
    why="A client without EFA gets 5 Gbps from each server, and a file system with EFA has few large ones.",
    source=f"{_FSX}/performance.html", reads="storage data compute",
)  # fmt: skip
def gpu_nodes_reach_it_over_efa(design: Design) -> Iterator[Finding]:
    """GPU groups without EFA interfaces beside an EFA file system."""
    gbps = catalog().lustre.ena_gbps_per_client_and_server
    systems = [system for system in design.file_systems if system.efa]
    for at, _, plan in design.planned_groups if systems else ():
        if plan.role == "compute" and plan.gpus and not lustre_connections(plan):
            widest = max(systems, key=lambda system: system.object_servers)
            servers, most = widest.object_servers, over_ena(widest, plan.instance_type)
            few = most == servers * gbps * MBPS_PER_GBPS
            why = f"{gbps:g} Gbps from each of {servers} servers" if few else "all that it moves over ENA"
            yield Finding(
                at=at,
                message=f"{plan.instance_type.name} has no EFA interface for the file system: each node gets "
                f"{most / 1000:.3g} GB/s at most, {why}",
                hint="take machines with EFA"
                + (", or a file system with `efa: false`, which has more servers" if few else ""),
            )
