"""Rules for Lustre file systems and their zones: availability, default quotas, and client connections."""

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
    "LUS003", ERROR, "the zone offers the file system's throughput tier and EFA",
    why="Some Regions and Local Zones offer fewer throughput tiers, do not offer EFA, or do not offer persistent-2.",
    source=_TYPES, reads=f"storage {_ZONES}", where="persistent-2",
    ages="the Lustre tiers and EFA that each Region and Local Zone offers",
)  # fmt: skip
def place_offers_the_file_system(design: Design) -> Iterator[Finding]:
    """Check that the zone or Region offers the tier and EFA, if the catalogue has data about it."""
    offer, place = catalog().lustre_offer(design.profile.region, design.profile.zone)
    for at, lustre in new_lustre(design) if offer is not None else ():
        assert offer is not None
        tiers = offer.throughputs_mbps_per_tib
        declared = lustre.throughput_mbps_per_tib
        if lustre.deployment != "persistent-2":
            continue
        if not tiers:
            yield Finding(
                at=at,
                message=f"{place} does not offer persistent-2",
                hint="set `region` to a Region that offers persistent-2",
            )
        elif lustre.storage == "ssd" and declared in catalog().lustre.tiers and declared not in tiers:
            yield Finding(
                at=(*at, "throughput_mbps_per_tib"),
                message=f"{place} does not offer {declared} MB/s/TiB",
                hint=f"set `throughput_mbps_per_tib` to {either(sorted(tiers))}",
            )
        if tiers and lustre.efa and not offer.efa:
            yield Finding(
                at=(*at, "efa"), message=f"{place} does not offer Lustre with EFA", hint="set `efa: false`"
            )


@rule(
    "LUS005", ERROR, "a file system accepts the EFA connections of all client interfaces",
    why="A file system accepts at most 1024 EFA connections. All other clients use TCP without an error, at about a tenth of the throughput.",
    source=f"{_FSX}/configure-efa-clients.html", reads="storage data compute",
    where="lustre-efa data", ages="the maximum number of EFA connections of a file system",
)  # fmt: skip
def efa_connections_suffice(design: Design) -> Iterator[Finding]:
    """Check the number of nodes times their EFA interfaces against the limit, which all file systems have."""
    if not any(system.efa for system in design.file_systems):
        return
    limit = catalog().lustre.max_efa_connections
    needed = _connections(design)
    data = design.profile.data
    others = (data.other_efa_connections or 0) if data and _shares_efa(design) else 0
    if needed + others > limit:
        each = [(group, lustre_connections(group)) for group in design.groups]
        parts = ", ".join(
            f"{group.count} nodes x {interfaces} in group {group.name}"
            for group, interfaces in each
            if interfaces
        )
        beside = f", and other clusters need {others}" if others else ""
        yield Finding(
            at=("compute", "groups"),
            message=f"the nodes need {needed} EFA connections to the file system ({parts}){beside}, but the maximum is {limit}",
            hint="reduce `count`, or create a second cluster with its own file system",
        )


def _connections(design: Design) -> int:
    return sum(group.count * lustre_connections(group) for group in design.groups)


def _shares_efa(design: Design) -> bool:
    """Return whether a file system with EFA belongs to the data profile, which other clusters also use."""
    own = {system.name for system in design.own_file_systems}
    return any(system.efa and system.name not in own for system in design.file_systems)


@rule(
    "LUS036", NOTE, "the EFA connections of other clusters to a shared file system are declared",
    why="A cluster's profile does not list the other clusters on its data profile. If all clusters together need more than 1024 "
    "connections, some clients use TCP without an error.",
    source=f"{_FSX}/configure-efa-clients.html", reads="storage data compute", where="data",
)  # fmt: skip
def other_connections_are_declared(design: Design) -> Iterator[Finding]:
    """Report EFA connections of a cluster to a file system of a data profile."""
    data, needed = design.profile.data, _connections(design)
    left = catalog().lustre.max_efa_connections - needed
    if data and data.other_efa_connections is None and needed and left >= 0 and _shares_efa(design):
        yield Finding(
            at=("data",),
            message=f"the nodes use {needed} of the {needed + left} EFA connections of each file system in {data.profile}, so "
            f"{left} are left for all other clusters",
            hint="set `other_efa_connections` to the number of EFA connections that all other clusters use together (0 if there "
            "are none); `ultracluster plan` prints this number for each cluster",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """The amount of a default quota that one file system uses; the profile key `key` sets the amount."""

    of: str
    amount: int
    most: int
    unit: str
    key: str


@rule(
    "LUS006", WARNING, "file systems are within the default quotas of FSx for Lustre",
    why="Default quotas per account and Region: 100800 GiB each for persistent-2, persistent-1 and scratch; 102000 GiB for each "
    "file system on HDD. Intelligent-Tiering has 100000 MB/s and 100800 GiB of read cache. FSx rejects more until AWS raises the "
    "quota.",
    source=f"{_FSX}/limits.html", reads="storage", where="lustre",
)  # fmt: skip
def capacity_is_within_the_quota(design: Design) -> Iterator[Finding]:
    """Check the total of each type against its default quota; HDD file systems are checked one by one."""
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
            several = f" of {len(rows)} file systems in total" if len(rows) > 1 else ""
            yield Finding(
                at=(*at, use.key),
                message=f"{total} {use.unit}{several} exceeds the default quota of {use.most} {use.unit} for {use.of}",
                hint="request a higher FSx for Lustre quota before you deploy",
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
    "LUS008", NOTE, "EFA is on for file systems with a high throughput",
    why="AWS recommends EFA above about 10 GB/s. A fast file system has large servers, and only clients with EFA reach the full "
    "throughput of such servers.",
    source=f"{_FSX}/efa-file-systems.html", reads=f"storage {_ZONES}", where="lustre",
)  # fmt: skip
def efa_is_worthwhile(design: Design) -> Iterator[Finding]:
    """Report fast file systems without EFA if their zone or Region offers EFA."""
    offer, _ = catalog().lustre_offer(design.profile.region, design.profile.zone)
    if offer is not None and not offer.efa:
        return
    threshold = catalog().lustre.efa_worthwhile_above_mbps
    for at, _, plan in design.planned_lustre:
        if plan.existing is None and plan.kind.efa and not plan.efa and plan.throughput_mbps > threshold:
            unit = "" if plan.elastic else " and a capacity that is a multiple of the tier's unit"
            yield Finding(
                at=(*at, "efa"),
                message=f"the file system has {plan.throughput_mbps:.0f} MB/s without EFA, but AWS recommends EFA above "
                f"{threshold} MB/s; EFA can be set only at creation",
                hint=f"set `efa: true`{unit}",
            )


@rule(
    "LUS009", WARNING, "the catalogue has the Lustre offer of the Local Zone",
    why="Known Local Zones offer 125 and 250 MB/s/TiB without EFA. FSx can reject the file system in other Local Zones.",
    source=_TYPES, reads=f"storage {_ZONES}", where="local-zone",
)  # fmt: skip
def local_zone_is_known(design: Design) -> Iterator[Finding]:
    """Report file systems in a Local Zone that is not in the catalogue."""
    zone = design.profile.zone
    if zone and is_local_zone(zone) and catalog().zone(zone) is None:
        for at, _ in new_lustre(design):
            yield Finding(
                at=at,
                message=f"the catalogue does not contain the FSx for Lustre throughput tiers of {zone}",
                hint="check the tiers of this zone with AWS before you deploy; other Local Zones offer 125 and 250 MB/s/TiB "
                "without EFA",
            )


@rule(
    "LUS028", WARNING, "compute instances use EFA to reach a file system with EFA",
    why="A client without EFA gets at most 5 Gbps from each object storage server, and a file system with EFA has only a few, "
    "large servers.",
    source=f"{_FSX}/performance.html", reads="storage data compute",
)  # fmt: skip
def gpu_nodes_reach_it_over_efa(design: Design) -> Iterator[Finding]:
    """Check that GPU groups have EFA interfaces if a file system has EFA."""
    gbps = catalog().lustre.ena_gbps_per_client_and_server
    systems = [system for system in design.file_systems if system.efa]
    for at, _, plan in design.planned_groups if systems else ():
        if plan.role == "compute" and plan.gpus and not lustre_connections(plan):
            widest = max(systems, key=lambda system: system.object_servers)
            servers, most = widest.object_servers, over_ena(widest, plan.instance_type)
            few = most == servers * gbps * MBPS_PER_GBPS
            why = (
                f"{gbps:g} Gbps to each of the {servers} object storage servers"
                if few
                else "the maximum over ENA"
            )
            yield Finding(
                at=at,
                message=f"{plan.instance_type.name} has no EFA interface for the file system, so each node transfers at "
                f"most {most / 1000:.3g} GB/s ({why})",
                hint="use an instance type with EFA"
                + (", or create a file system with `efa: false`, which has more servers" if few else ""),
            )
