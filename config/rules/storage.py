"""A file system that the service creates, that clients reach at full speed, and that loses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from config.catalog import catalog
from config.design.compute import lustre_connections
from config.design.model import Design
from config.design.network import is_local_zone
from config.rules.parts import LUSTRE, is_plain_path, own_lustre
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_SIZES = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/getting-started.html"
_TYPES = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html"
_EFA = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html"
_METADATA = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html"
_CLIENTS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html"
_LINKS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html"
_API = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_DataRepositoryAssociation.html"
_BUCKETS = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html"


_TAKEN = (
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/opt/dlami", "/opt/sagemaker", "/opt/slurm", "/proc", "/root",
    "/run", "/sbin", "/sys", "/tmp", "/usr", "/var",
)  # fmt: skip
_ZONES = "region availability_zone availability_zone_id"


@rule(
    "LUS001", ERROR, "a persistent-2 file system has one of its throughput tiers",
    why="CreateFileSystem refuses other values of PerUnitStorageThroughput.",
    source=_TYPES, reads="storage", where="lustre",
)  # fmt: skip
def throughput_is_a_tier(design: Design) -> Iterator[Finding]:
    """The tier exists."""
    lustre = own_lustre(design)
    tiers = sorted(catalog().lustre.tiers)
    if lustre and lustre.throughput_mbps_per_tib not in tiers:
        yield Finding(
            at=(*LUSTRE, "throughput_mbps_per_tib"),
            message=f"{lustre.throughput_mbps_per_tib} MB/s/TiB is not a tier of persistent-2",
            hint=f"use {', '.join(map(str, tiers[:-1]))} or {tiers[-1]}",
        )


@rule(
    "LUS002", ERROR, "a file system's capacity is a size that exists for its tier",
    why="The service refuses other sizes, and the rest of the stack rolls back (STORAGE-13).",
    source=_SIZES, reads="storage", where="lustre",
)  # fmt: skip
def capacity_is_a_size(design: Design) -> Iterator[Finding]:
    """With EFA a multiple of the tier's unit, else 1200, 2400 or a multiple of 2400."""
    lustre = own_lustre(design)
    facts = catalog().lustre
    tier = facts.tiers.get(lustre.throughput_mbps_per_tib) if lustre else None
    if lustre is None or tier is None:
        return
    if facts.takes_capacity(lustre.capacity_gib, tier, efa=lustre.efa):
        return
    step = facts.capacity_step(tier, efa=lustre.efa)
    small = () if lustre.efa else facts.small_capacities_gib
    below = lustre.capacity_gib // step * step
    near = sorted({*small, below, below + step} - {0}, key=lambda size: abs(size - lustre.capacity_gib))[:2]
    sizes = f"not a multiple of {step}"
    if small:
        sizes = f"neither {' nor '.join(map(str, small))} nor a multiple of {step}"
    with_efa = " with EFA" if lustre.efa else ""
    yield Finding(
        at=(*LUSTRE, "capacity_gib"),
        message=f"lustre capacity {lustre.capacity_gib} GiB is {sizes} at {tier.throughput_mbps_per_tib} MB/s/TiB{with_efa}",
        hint=f"use {' or '.join(map(str, sorted(near)))}",
    )


@rule(
    "LUS003", ERROR, "the file system is one that its zone offers",
    why="Several Regions and Local Zones have fewer tiers, or no EFA, or no persistent-2 at all.",
    source=_TYPES, reads=f"storage {_ZONES}", where="lustre",
    ages="what each Region and Local Zone offers of Lustre",
)  # fmt: skip
def place_offers_the_file_system(design: Design) -> Iterator[Finding]:
    """Tiers and EFA of the zone, else of the Region; an unknown place is not judged."""
    lustre = own_lustre(design)
    offer, place = catalog().lustre_offer(design.profile.region, design.profile.zone)
    if lustre is None or offer is None:
        return
    tiers = offer.throughputs_mbps_per_tib
    if not tiers:
        yield Finding(
            at=LUSTRE, message=f"persistent-2 is not offered in {place}", hint="take a Region that offers it"
        )
    elif (
        lustre.throughput_mbps_per_tib in catalog().lustre.tiers
        and lustre.throughput_mbps_per_tib not in tiers
    ):
        yield Finding(
            at=(*LUSTRE, "throughput_mbps_per_tib"),
            message=f"{place} does not offer {lustre.throughput_mbps_per_tib} MB/s/TiB",
            hint=f"use {' or '.join(map(str, sorted(tiers)))}",
        )
    if tiers and lustre.efa and not offer.efa:
        yield Finding(
            at=(*LUSTRE, "efa"), message=f"{place} does not offer Lustre with EFA", hint="write `efa: false`"
        )


@rule(
    "LUS004", ERROR, "metadata IOPS are a value that exists and not below what the capacity gives",
    why="The service refuses other values, and raising the capacity later fails while IOPS are too low (STORAGE-10).",
    source=_METADATA, reads="storage", where="lustre",
)  # fmt: skip
def metadata_iops_fit(design: Design) -> Iterator[Finding]:
    """User-provisioned metadata IOPS."""
    lustre = own_lustre(design)
    facts = catalog().lustre
    if lustre is None or lustre.metadata_iops is None or lustre.capacity_gib < facts.small_capacities_gib[0]:
        return
    at = (*LUSTRE, "metadata_iops")
    allowed = facts.allowed_metadata_iops
    least = facts.automatic_metadata_iops(lustre.capacity_gib)
    use = facts.enough_metadata_iops(lustre.metadata_iops, lustre.capacity_gib)
    if lustre.metadata_iops not in allowed:
        yield Finding(
            at=at,
            message=f"{lustre.metadata_iops} metadata IOPS cannot be provisioned",
            hint=f"use {use}, or take the key out for {least}",
        )
    elif lustre.metadata_iops < least:
        yield Finding(
            at=at,
            message=f"{lustre.metadata_iops} metadata IOPS are below the {least} that {lustre.capacity_gib} GiB gives",
            hint=f"use {use}, or take the key out",
        )


@rule(
    "LUS005", ERROR, "a file system has an EFA connection for every client interface",
    why="A file system takes 1024 EFA connections; further clients fall back to TCP, at a tenth of the speed, without an error.",
    source=_CLIENTS, reads="storage data compute",
    ages="how many EFA connections a file system takes",
)  # fmt: skip
def efa_connections_suffice(design: Design) -> Iterator[Finding]:
    """Clients x interfaces against the limit."""
    if design.lustre is None or not design.lustre.efa:
        return
    limit = catalog().lustre.max_efa_connections
    each = [(group, lustre_connections(group)) for group in design.groups]
    needed = sum(group.count * interfaces for group, interfaces in each)
    if needed > limit:
        parts = ", ".join(
            f"{group.count} x {interfaces} for {group.name}" for group, interfaces in each if interfaces
        )
        yield Finding(
            at=("compute", "groups"),
            message=f"the nodes need {needed} EFA connections to the file system ({parts}), it takes {limit}",
            hint="use fewer nodes, or a second cluster with a file system of its own",
        )


@rule(
    "LUS006", WARNING, "the file system is within the default quota",
    why="An account has 100800 GiB of persistent-2 storage in a Region until the quota is raised.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/limits.html", reads="storage", where="lustre",
)  # fmt: skip
def capacity_is_within_the_quota(design: Design) -> Iterator[Finding]:
    """Capacity against the default quota."""
    lustre = own_lustre(design)
    quota = catalog().lustre.default_quota_gib
    if lustre and lustre.capacity_gib > quota:
        yield Finding(
            at=(*LUSTRE, "capacity_gib"),
            message=f"{lustre.capacity_gib} GiB is above the default quota of {quota} GiB",
            hint="ask for a higher quota of FSx for Lustre persistent 2 storage before deploying",
        )


@rule(
    "LUS007", ERROR, "the file system is mounted at a plain absolute path",
    why="HyperPod refuses a path with a trailing or double slash, scripts on the nodes read it, and what lies below a "
    "mount is hidden: the system's folders, /opt/sagemaker (the EBS volume) and /opt/dlami/nvme (the local disks).",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterFsxLustreConfig.html", reads="storage", where="lustre",
)  # fmt: skip
def mount_path_is_plain(design: Design) -> Iterator[Finding]:
    """The form of mount_path."""
    lustre = own_lustre(design)
    if lustre is None:
        return
    at = (*LUSTRE, "mount_path")
    if not is_plain_path(lustre.mount_path):
        yield Finding(
            at=at,
            message=f"{lustre.mount_path!r} is not a plain absolute path",
            hint="write a path such as /fsx",
        )
        return
    taken = _hidden_by(lustre.mount_path)
    if taken:
        yield Finding(
            at=at,
            message=f"{lustre.mount_path} is a node's own: a file system mounted there hides {taken}",
            hint="write a path such as /fsx",
        )


@lru_cache(maxsize=1024)
def _hidden_by(mount_path: str) -> str | None:
    mount = f"{mount_path}/"
    return next((p for p in _TAKEN if mount.startswith(f"{p}/") or f"{p}/".startswith(mount)), None)


@rule(
    "LUS009", WARNING, "what a Local Zone offers of Lustre is known",
    why="The Local Zones that are known offer 125 and 250 MB/s/TiB without EFA; another one may refuse the file system.",
    source=_TYPES, reads=f"storage {_ZONES}", where="lustre",
)  # fmt: skip
def local_zone_is_known(design: Design) -> Iterator[Finding]:
    """A file system in a Local Zone that the catalogue does not have."""
    zone = design.profile.zone
    if own_lustre(design) and zone and is_local_zone(zone) and catalog().zone(zone) is None:
        yield Finding(
            at=LUSTRE,
            message=f"no source says what FSx for Lustre offers in {zone}",
            hint="ask AWS before deploying; other Local Zones take 125 or 250 MB/s/TiB and `efa: false`",
        )


@rule(
    "LUS008", NOTE, "EFA is on where the file system is fast enough to need it",
    why="AWS recommends EFA from about 10 GB/s on; and only EFA clients reach the few large servers of such a file system at speed.",
    source=_EFA, reads=f"storage {_ZONES}", where="lustre",
)  # fmt: skip
def efa_is_worthwhile(design: Design) -> Iterator[Finding]:
    """A fast file system without EFA where EFA is offered."""
    lustre = own_lustre(design)
    if lustre is None or design.lustre is None or lustre.efa:
        return
    offer, _ = catalog().lustre_offer(design.profile.region, design.profile.zone)
    if offer is not None and not offer.efa:
        return
    threshold = catalog().lustre.efa_worthwhile_above_mbps
    if design.lustre.throughput_mbps > threshold:
        yield Finding(
            at=(*LUSTRE, "efa"),
            message=f"{design.lustre.throughput_mbps:.0f} MB/s without EFA: AWS recommends EFA above {threshold} MB/s, and it is fixed at creation",
            hint="write `efa: true` and a capacity that is a multiple of the tier's unit",
        )


@rule(
    "NVM001", ERROR, "local NVMe is asked for where nodes have it",
    why="On types without instance store the setting would do nothing.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html", reads="storage compute",
)  # fmt: skip
def local_nvme_exists(design: Design) -> Iterator[Finding]:
    """At least one group has local disks."""
    asked = design.profile.storage and design.profile.storage.local_nvme
    stated = design.profile.compute.groups if design.profile.compute else ()
    if len(design.groups) < len(stated):
        return  # a type that is not known may have disks
    if asked and design.groups and not any(group.instance_type.local_nvme for group in design.groups):
        yield Finding(
            at=("storage", "local_nvme"),
            message="no group has local NVMe disks",
            hint="write `local_nvme: null`",
        )


RULES = (
    throughput_is_a_tier,
    capacity_is_a_size,
    place_offers_the_file_system,
    metadata_iops_fit,
    efa_connections_suffice,
    capacity_is_within_the_quota,
    mount_path_is_plain,
    local_zone_is_known,
    efa_is_worthwhile,
    local_nvme_exists,
)
