"""Rules for type, throughput tier, capacity, metadata IOPS and caches of a Lustre file system."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.design.storage.lustre import tier_of
from config.diagnostics import Path
from config.profile.storage.lustre import AnyLustre, NewLustre
from config.rules.parts import either
from config.rules.registry import ERROR, Finding, rule
from config.rules.storage.other_kinds import as_kind

_SIZES = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/getting-started.html"
_TYPES = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html"
_METADATA = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html"
_LUSTRE = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html"


@rule(
    "LUS001", ERROR, "the throughput tier is valid for the file system's type",
    why="CreateFileSystem rejects other values of PerUnitStorageThroughput, and every value on scratch.",
    source=_TYPES, reads="storage", where="lustre",
)  # fmt: skip
def throughput_is_a_tier(design: Design) -> Iterator[Finding]:
    """Check the throughput tier of types that have several tiers."""
    for at, lustre, kind in design.lustre_kinds:
        declared = lustre.throughput_mbps_per_tib
        if declared in kind.capacity_steps_gib if kind.states_tier else declared is None:
            continue
        here = (*at, "throughput_mbps_per_tib")
        if kind.states_tier:
            yield Finding(
                at=here if declared else at,
                message=f"{declared} MB/s/TiB is not a throughput tier of {kind.name}"
                if declared
                else f"{kind.name} requires `throughput_mbps_per_tib`, which is not set",
                hint=f"set `throughput_mbps_per_tib` to {either(kind.tiers)}",
            )
        elif kind.tiers:
            yield Finding(
                at=here,
                message=f"`throughput_mbps_per_tib: {declared}` is set, but the tier of {kind.name} is always {kind.tiers[0]}",
                hint="set `throughput_mbps_per_tib: null`",
            )


@rule(
    "LUS002", ERROR, "the capacity is valid for the file system's type and tier",
    why="FSx rejects other sizes, and CloudFormation rolls back the stack (STORAGE-13).",
    source=_SIZES, reads="storage", where="lustre",
)  # fmt: skip
def capacity_is_a_size(design: Design) -> Iterator[Finding]:
    """Check that the capacity is a multiple of the tier's step; without EFA, small sizes are also valid."""
    facts = catalog().lustre
    for at, lustre, kind in design.lustre_kinds:
        tier = tier_of(lustre, kind)
        efa = lustre.efa and kind.efa
        step = facts.step_of(kind, tier, efa=efa) if tier else None
        if tier is None or step is None:
            continue
        if lustre.capacity_gib is None:
            near = kind.nearest_capacities(0, step, efa=efa)
            yield Finding(
                at=at,
                message=f"{kind.name} requires `capacity_gib`, which is not set",
                hint=f"set `capacity_gib` to {either(near)}",
            )
            continue
        if kind.takes_capacity(lustre.capacity_gib, step, efa=efa):
            continue
        small = () if efa else kind.small_capacities_gib
        sizes = f"not a multiple of {step}"
        if small:
            sizes = f"not {either([*small, f'a multiple of {step}'])}"
        near = kind.nearest_capacities(lustre.capacity_gib, step, efa=efa)
        of = "" if lustre.deployment == "persistent-2" else f" on {kind.name}"
        yield Finding(
            at=(*at, "capacity_gib"),
            message=f"lustre capacity {lustre.capacity_gib} GiB{of} is {sizes} at {tier} MB/s/TiB"
            f"{' with EFA' if efa else ''}",
            hint=f"set `capacity_gib` to {either(near)}",
        )


@rule(
    "LUS004", ERROR, "metadata IOPS are valid and at least the automatic value for the capacity",
    why="FSx rejects other values. A later increase of the capacity fails if the metadata IOPS are too low for the new capacity "
    "(STORAGE-10).",
    source=_METADATA, reads="storage", where="lustre",
)  # fmt: skip
def metadata_iops_fit(design: Design) -> Iterator[Finding]:
    """Check user-provisioned metadata IOPS."""
    for at, lustre, kind in design.lustre_kinds:
        iops = lustre.metadata_iops
        if iops is None:
            continue
        if not kind.metadata:
            message, hint = (
                f"`metadata_iops: {iops}` is set, but {kind.name} does not support the setting",
                "set `metadata_iops: null`",
            )
        elif not kind.tiers:
            allowed = catalog().lustre.tiering.metadata_iops
            message = "" if iops in allowed else f"{iops} metadata IOPS are not valid for {kind.name}"
            hint = f"set `metadata_iops` to {either(allowed)}"
        else:
            message, hint = _on_ssd(iops, lustre.capacity_gib)
        if message:
            yield Finding(at=(*at, "metadata_iops"), message=message, hint=hint)


def _on_ssd(iops: int, capacity_gib: int | None) -> tuple[str, str]:
    """Return the message and hint for metadata IOPS on SSD; both are empty if the value is valid."""
    facts = catalog().lustre
    if capacity_gib is None or capacity_gib < facts.small_capacities_gib[0]:
        return "", ""
    least = facts.automatic_metadata_iops(capacity_gib)
    use = facts.enough_metadata_iops(iops, capacity_gib)
    if iops not in facts.allowed_metadata_iops:
        return (
            f"{iops} metadata IOPS is not a valid value",
            f"set `metadata_iops` to {use}, or remove `metadata_iops` for the automatic value, {least}",
        )
    if iops < least:
        message = f"{iops} metadata IOPS are below {least}, the automatic value for {capacity_gib} GiB"
        return message, f"set `metadata_iops` to {use}, or remove `metadata_iops`"
    return "", ""


@rule(
    "LUS014", ERROR, "an Intelligent-Tiering file system sets throughput and read cache, and does not set a capacity",
    why="The storage of an Intelligent-Tiering file system grows automatically. FSx rejects a capacity, a throughput tier, and a "
    "throughput that is not a multiple of 4000 MB/s. FSx also rejects an AUTOMATIC metadata configuration.",
    source=_LUSTRE, reads="storage", where="intelligent-tiering",
)  # fmt: skip
def tiering_properties_are_set(design: Design) -> Iterator[Finding]:
    """Check the keys that only Intelligent-Tiering supports, and the keys that only other types support."""
    for at, lustre in design.placed_lustre:
        if lustre.storage == "intelligent-tiering":
            yield from _tiering(at, lustre)
            continue
        for key in ("throughput_mbps", "read_cache"):
            if getattr(lustre, key, None) is not None:
                yield Finding(
                    at=(*at, key),
                    message=f"`{key}` is set, but only intelligent-tiering supports it, not {lustre.storage}",
                    hint=f"set `{key}: null`",
                )


def _tiering(at: Path, lustre: AnyLustre) -> Iterator[Finding]:
    facts = catalog().lustre.tiering
    if lustre.deployment != "persistent-2":
        yield Finding(
            at=(*at, "storage"),
            message=f"{lustre.deployment} does not support intelligent-tiering",
            hint="set `deployment: persistent-2`",
        )
    for key, why in (
        ("capacity_gib", "but its storage grows automatically"),
        ("throughput_mbps_per_tib", "but its throughput is set by `throughput_mbps`"),
    ):
        if getattr(lustre, key) is not None:
            message = f"`{key}: {getattr(lustre, key)}` is set on intelligent-tiering, {why}"
            instead = ", and set `throughput_mbps` instead" if key.endswith("tib") else ""
            yield Finding(at=(*at, key), message=message, hint=f"set `{key}: null`{instead}")
    step, mbps = facts.throughput_step_mbps, lustre.throughput_mbps
    if mbps is None:
        yield Finding(
            at=at,
            message="intelligent-tiering requires `throughput_mbps`, which is not set",
            hint=f"set `throughput_mbps: {step}`",
        )
        mbps = step
    elif mbps % step or mbps > facts.throughput_max_mbps:
        below = min(mbps, facts.throughput_max_mbps) // step * step
        near = [size for size in (below, below + step) if 0 < size <= facts.throughput_max_mbps]
        yield Finding(
            at=(*at, "throughput_mbps"),
            message=f"`throughput_mbps` is {mbps}, which is not a multiple of {step} up to {facts.throughput_max_mbps}",
            hint=f"set `throughput_mbps` to {either(near)}",
        )
    if isinstance(lustre, NewLustre):
        yield from _read_cache(at, lustre, max(1, mbps // step))


def _read_cache(at: Path, lustre: NewLustre, steps: int) -> Iterator[Finding]:
    cache, here = lustre.read_cache, (*at, "read_cache")
    if cache is None:
        yield Finding(
            at=at,
            message="intelligent-tiering requires `read_cache`, which is not set",
            hint="set `read_cache: {sizing: proportional}`",
        )
        return
    least, most = (bound * steps for bound in catalog().lustre.tiering.cache_gib)
    if cache.sizing != "user-provisioned":
        if cache.size_gib is not None:
            yield Finding(
                at=(*here, "size_gib"),
                message=f"`size_gib: {cache.size_gib}` has no effect with `sizing: {cache.sizing}`",
                hint="set `size_gib: null`, or `sizing: user-provisioned`",
            )
    elif cache.size_gib is None:
        yield Finding(
            at=here,
            message="`sizing: user-provisioned` requires `size_gib`, which is not set",
            hint=f"set `size_gib` to a value from {least} to {most}",
        )
    elif not least <= cache.size_gib <= most:
        yield Finding(
            at=(*here, "size_gib"),
            message=f"a read cache of {cache.size_gib} GiB is not valid at {lustre.throughput_mbps} MB/s",
            hint=f"set `size_gib` to a value from {least} to {most}",
        )


@rule(
    "LUS017", ERROR, "a file system on HDD uses persistent-1 and sets the drive cache",
    why="FSx offers HDD storage only for persistent-1, and HDD storage requires DriveCacheType.",
    source=_LUSTRE, reads="storage", where="hdd",
)  # fmt: skip
def hdd_cache_is_set(design: Design) -> Iterator[Finding]:
    """Check the deployment type and the drive cache of file systems on HDD."""
    for at, lustre in design.placed_lustre:
        cache = lustre.drive_cache if isinstance(lustre, NewLustre) else False
        if lustre.storage != "hdd":
            if isinstance(lustre, NewLustre) and cache is not None:
                yield Finding(
                    at=(*at, "drive_cache"),
                    message=f"`drive_cache` is set, but only hdd supports it, not {lustre.storage}",
                    hint="set `drive_cache: null`",
                )
            continue
        if lustre.deployment != "persistent-1":
            yield Finding(
                at=(*at, "storage"),
                message=f"{lustre.deployment} does not support hdd storage",
                hint=f"set {as_kind(design, lustre, 'persistent-1', 'hdd')}, "
                f"or {as_kind(design, lustre, lustre.deployment)}",
            )
        elif cache is None:
            yield Finding(
                at=at,
                message="`storage: hdd` requires `drive_cache`, which is not set",
                hint="set `drive_cache: true` for an SSD cache, or `drive_cache: false`",
            )
