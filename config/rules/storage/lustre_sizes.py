"""A Lustre file system of a kind, a throughput and a capacity that exist."""

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
    "LUS001", ERROR, "a file system has one of the throughput tiers of its kind",
    why="CreateFileSystem refuses other values of PerUnitStorageThroughput, and any on scratch.",
    source=_TYPES, reads="storage", where="lustre",
)  # fmt: skip
def throughput_is_a_tier(design: Design) -> Iterator[Finding]:
    """The tier exists, where there is a choice."""
    for at, lustre, kind in design.lustre_kinds:
        stated = lustre.throughput_mbps_per_tib
        if stated in kind.capacity_steps_gib if kind.states_tier else stated is None:
            continue
        here = (*at, "throughput_mbps_per_tib")
        if kind.states_tier:
            told = f"{stated} MB/s/TiB is not a tier" if stated else "no throughput tier"
            yield Finding(
                at=here if stated else at,
                message=f"{told} of {kind.name}",
                hint=f"use{'' if stated else ' `throughput_mbps_per_tib`'} {either(kind.tiers)}",
            )
        elif kind.tiers:
            yield Finding(
                at=here,
                message=f"{stated} MB/s/TiB on {kind.name}, which has {kind.tiers[0]} and no choice",
                hint="write `throughput_mbps_per_tib: null`",
            )


@rule(
    "LUS002", ERROR, "a file system's capacity is a size that exists for its kind and tier",
    why="The service refuses other sizes, and the rest of the stack rolls back (STORAGE-13).",
    source=_SIZES, reads="storage", where="lustre",
)  # fmt: skip
def capacity_is_a_size(design: Design) -> Iterator[Finding]:
    """With EFA a multiple of the tier's unit, else one of the small sizes or a multiple of the step."""
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
                at=at, message=f"no capacity of {kind.name}", hint=f"use `capacity_gib` {either(near)}"
            )
            continue
        if kind.takes_capacity(lustre.capacity_gib, step, efa=efa):
            continue
        small = () if efa else kind.small_capacities_gib
        sizes = f"not a multiple of {step}"
        if small:
            sizes = f"neither {' nor '.join(map(str, small))} nor a multiple of {step}"
        near = kind.nearest_capacities(lustre.capacity_gib, step, efa=efa)
        of = "" if lustre.deployment == "persistent-2" else f" of {kind.name}"
        yield Finding(
            at=(*at, "capacity_gib"),
            message=f"lustre capacity {lustre.capacity_gib} GiB{of} is {sizes} at {tier} MB/s/TiB"
            f"{' with EFA' if efa else ''}",
            hint=f"use {either(near)}",
        )


@rule(
    "LUS004", ERROR, "metadata IOPS are a value that exists and not below what the capacity gives",
    why="The service refuses other values, and raising the capacity later fails while IOPS are too low (STORAGE-10).",
    source=_METADATA, reads="storage", where="lustre",
)  # fmt: skip
def metadata_iops_fit(design: Design) -> Iterator[Finding]:
    """User-provisioned metadata IOPS."""
    for at, lustre, kind in design.lustre_kinds:
        iops = lustre.metadata_iops
        if iops is None:
            continue
        if not kind.metadata:
            told, hint = (
                f"{iops} metadata IOPS on {kind.name}, which has no choice",
                "write `metadata_iops: null`",
            )
        elif not kind.tiers:
            allowed = catalog().lustre.tiering.metadata_iops
            told = "" if iops in allowed else f"{iops} metadata IOPS on {kind.name}"
            hint = f"use {either(allowed)}"
        else:
            told, hint = _on_ssd(iops, lustre.capacity_gib)
        if told:
            yield Finding(at=(*at, "metadata_iops"), message=told, hint=hint)


def _on_ssd(iops: int, capacity_gib: int | None) -> tuple[str, str]:
    """What is wrong of metadata IOPS on SSD, empty where nothing is, and what to use."""
    facts = catalog().lustre
    if capacity_gib is None or capacity_gib < facts.small_capacities_gib[0]:
        return "", ""
    least = facts.automatic_metadata_iops(capacity_gib)
    use = facts.enough_metadata_iops(iops, capacity_gib)
    if iops not in facts.allowed_metadata_iops:
        return f"{iops} metadata IOPS cannot be provisioned", f"use {use}, or take the key out for {least}"
    if iops < least:
        told = f"{iops} metadata IOPS are below the {least} that {capacity_gib} GiB gives"
        return told, f"use {use}, or take the key out"
    return "", ""


@rule(
    "LUS014", ERROR, "an Intelligent-Tiering file system states its throughput and its read cache, and no capacity",
    why="It grows by itself: FSx refuses a capacity or a tier, a throughput that is no multiple of 4000 MB/s, and "
    "AUTOMATIC metadata.",
    source=_LUSTRE, reads="storage", where="intelligent-tiering",
)  # fmt: skip
def tiering_states_what_it_wants(design: Design) -> Iterator[Finding]:
    """What only Intelligent-Tiering has, and what it has not."""
    for at, lustre in design.placed_lustre:
        if lustre.storage == "intelligent-tiering":
            yield from _tiering(at, lustre)
            continue
        for key in ("throughput_mbps", "read_cache"):
            if getattr(lustre, key, None) is not None:
                yield Finding(
                    at=(*at, key),
                    message=f"{key} on {lustre.storage}, only intelligent-tiering has it",
                    hint=f"write `{key}: null`",
                )


def _tiering(at: Path, lustre: AnyLustre) -> Iterator[Finding]:
    facts = catalog().lustre.tiering
    if lustre.deployment != "persistent-2":
        yield Finding(
            at=(*at, "storage"),
            message=f"{lustre.deployment} has no intelligent-tiering",
            hint="write `deployment: persistent-2`",
        )
    for key, why in (
        ("capacity_gib", "storage that grows by itself"),
        ("throughput_mbps_per_tib", "storage whose throughput is stated as a whole"),
    ):
        if getattr(lustre, key) is not None:
            told = f"{getattr(lustre, key)} on intelligent-tiering, {why}"
            instead = ", and `throughput_mbps` instead" if key.endswith("tib") else ""
            yield Finding(at=(*at, key), message=told, hint=f"write `{key}: null`{instead}")
    step, mbps = facts.throughput_step_mbps, lustre.throughput_mbps
    if mbps is None:
        yield Finding(
            at=at, message="no throughput of intelligent-tiering", hint=f"write `throughput_mbps: {step}`"
        )
        mbps = step
    elif mbps % step or mbps > facts.throughput_max_mbps:
        below = min(mbps, facts.throughput_max_mbps) // step * step
        near = [size for size in (below, below + step) if 0 < size <= facts.throughput_max_mbps]
        yield Finding(
            at=(*at, "throughput_mbps"),
            message=f"{mbps} MB/s is not a multiple of {step} up to {facts.throughput_max_mbps}",
            hint=f"use {either(near)}",
        )
    if isinstance(lustre, NewLustre):
        yield from _read_cache(at, lustre, max(1, mbps // step))


def _read_cache(at: Path, lustre: NewLustre, steps: int) -> Iterator[Finding]:
    cache, here = lustre.read_cache, (*at, "read_cache")
    if cache is None:
        yield Finding(
            at=at,
            message="no read cache of intelligent-tiering",
            hint="write `read_cache: {sizing: proportional}`",
        )
        return
    least, most = (bound * steps for bound in catalog().lustre.tiering.cache_gib)
    if cache.sizing != "user-provisioned":
        if cache.size_gib is not None:
            yield Finding(
                at=(*here, "size_gib"),
                message=f"{cache.size_gib} GiB beside sizing {cache.sizing}",
                hint="write `size_gib: null`, or `sizing: user-provisioned`",
            )
    elif cache.size_gib is None:
        yield Finding(
            at=here, message="no size of the read cache", hint=f"write `size_gib`, {least} to {most}"
        )
    elif not least <= cache.size_gib <= most:
        yield Finding(
            at=(*here, "size_gib"),
            message=f"{cache.size_gib} GiB of read cache at {lustre.throughput_mbps} MB/s",
            hint=f"use {least} to {most} GiB",
        )


@rule(
    "LUS017", ERROR, "a file system on hard disks is a persistent-1 one with a drive cache stated",
    why="FSx has HDD storage for persistent-1 alone, and requires DriveCacheType with it.",
    source=_LUSTRE, reads="storage", where="hdd",
)  # fmt: skip
def hard_disks_state_their_cache(design: Design) -> Iterator[Finding]:
    """What hdd goes with."""
    for at, lustre in design.placed_lustre:
        cache = lustre.drive_cache if isinstance(lustre, NewLustre) else False
        if lustre.storage != "hdd":
            if isinstance(lustre, NewLustre) and cache is not None:
                yield Finding(
                    at=(*at, "drive_cache"),
                    message=f"a drive cache on {lustre.storage}, only hdd has one",
                    hint="write `drive_cache: null`",
                )
            continue
        if lustre.deployment != "persistent-1":
            yield Finding(
                at=(*at, "storage"),
                message=f"{lustre.deployment} has no hdd storage",
                hint=f"write {as_kind(design, lustre, 'persistent-1', 'hdd')}, "
                f"or {as_kind(design, lustre, lustre.deployment)}",
            )
        elif cache is None:
            yield Finding(
                at=at,
                message="no drive cache stated, beside hdd",
                hint="write `drive_cache: true` for an SSD cache, or `drive_cache: false`",
            )
