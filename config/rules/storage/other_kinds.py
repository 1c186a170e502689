"""Hints that change a file system to another type, with all keys that must change together."""

from __future__ import annotations

from collections.abc import Mapping

from config.catalog import LustreKind, catalog
from config.design.model import Design
from config.design.storage.lustre import tier_of
from config.profile.storage.lustre import AnyLustre, NewLustre

Value = str | int | bool | None


def as_kind(design: Design, lustre: AnyLustre, deployment: str, storage: str = "ssd") -> str:
    """Return the keys that must change and their new values: `deployment: persistent-1` and `efa: false`."""
    kind = catalog().lustre.kind(deployment, storage)
    wanted: dict[str, Value] = {"deployment": deployment, "storage": storage}
    if kind is not None:
        wanted |= _of_kind(design, lustre, kind)
    keys = [
        f"`{key}: {_shown(value)}`"
        for key, value in wanted.items()
        if hasattr(lustre, key) and _declared(lustre, key) != value
    ]
    return " and ".join([", ".join(keys[:-1]), keys[-1]] if len(keys) > 1 else keys)


def _of_kind(design: Design, lustre: AnyLustre, kind: LustreKind) -> Mapping[str, Value]:
    facts = catalog().lustre
    offer, _ = catalog().lustre_offer(design.profile.region, design.profile.zone)
    efa = lustre.efa and kind.efa and (offer is None or offer.efa)
    offered = offer.throughputs_mbps_per_tib if offer and kind.deployment == "persistent-2" else kind.tiers
    tier = _tier(lustre, tuple(tier for tier in kind.tiers if tier in offered) or kind.tiers)
    capacity = _capacity(lustre, kind, tier, efa=efa)
    found: dict[str, Value] = {
        "throughput_mbps_per_tib": tier if kind.states_tier else None,
        "capacity_gib": capacity,
        "throughput_mbps": None,
        "efa": efa,
        "gpudirect": lustre.gpudirect and efa,
        "metadata_iops": lustre.metadata_iops,
        "version": facts.min_version_for_efa if efa else lustre.version,
        "read_cache": None,
        "drive_cache": _drive_cache(lustre) if kind.storage == "hdd" else None,
    }
    iops = lustre.metadata_iops
    if iops is not None and (not kind.metadata or iops < facts.automatic_metadata_iops(capacity)):
        found["metadata_iops"] = None
    return found


def _tier(lustre: AnyLustre, tiers: tuple[int, ...]) -> int:
    """Return the new type's tier that is nearest to the current tier; without a current tier, the fastest."""
    today = catalog().lustre.kind(lustre.deployment, lustre.storage)
    declared = lustre.throughput_mbps_per_tib or (tier_of(lustre, today) if today else None)
    if declared is None:
        return max(tiers)
    return min(tiers, key=lambda tier: (abs(tier - declared), tier))


def _capacity(lustre: AnyLustre, kind: LustreKind, tier: int, *, efa: bool) -> int:
    """Return the smallest valid capacity that keeps the current capacity or, if elastic, the throughput."""
    step = catalog().lustre.step_of(kind, tier, efa=efa) or 1
    gib = lustre.capacity_gib
    if gib is None:
        gib = -(-(lustre.throughput_mbps or 0) * 1024 // tier)
    if gib > 0 and kind.takes_capacity(gib, step, efa=efa):
        return gib
    return max(1, -(-gib // step)) * step


def _drive_cache(lustre: AnyLustre) -> bool:
    declared = lustre.drive_cache if isinstance(lustre, NewLustre) else None
    return True if declared is None else declared


def _declared(lustre: AnyLustre, key: str) -> Value:
    value: Value = getattr(lustre, key)
    return value


def _shown(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) and value[:1].isdigit() else str(value)
