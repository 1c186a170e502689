"""Lustre file systems of each deployment type, with the settings that the type allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.catalog import LustreKind, catalog
from scripts.tools.fuzz.profiles.place import Place
from scripts.tools.fuzz.values.schema_values import of_model
from scripts.tools.fuzz.values.typical import EVENTS, FILE_SYSTEMS, KEYS, SECURITY_GROUPS

Data = dict[str, Any]
_STEPS = (1, 2, 4, 8)


def lustre_kinds(place: Place) -> list[LustreKind]:
    """Return the deployment types of a zone: persistent-2 only if the catalogue has it in the zone."""
    offer, _ = catalog().lustre_offer(place.region, place.zone)
    newest = offer is not None and bool(offer.throughputs_mbps_per_tib)
    return [kind for kind in catalog().lustre.kinds if newest or kind.deployment != "persistent-2"]


def draw_lustre(
    draw: DrawFn, place: Place, *, kinds: Sequence[LustreKind], with_repositories: bool = True
) -> Data:
    """Return a new file system of one of these types; `with_repositories` allows data repositories."""
    kind = draw(st.sampled_from(kinds))
    data = {"kind": "new", **_sizing(draw, place, kind)}
    repositories = (
        draw(_repositories()) if with_repositories and kind.data_repositories and draw(st.booleans()) else []
    )
    if repositories:
        data["data_repositories"] = repositories
    data |= draw(_settings())
    if kind.storage == "hdd":
        data["drive_cache"] = draw(st.booleans())
    if "throughput_mbps" in data:
        data["read_cache"] = _read_cache(draw, data["throughput_mbps"])
    if kind.kms_key and draw(st.integers(0, 3)) == 0:
        data["key_arn"] = KEYS[place.region]
    squashed = draw(st.integers(0, 3)) == 0
    if squashed:
        data["root_squash"] = draw(of_model("RootSquash"))
    if kind.backups and not repositories and not squashed and draw(st.booleans()):
        data["backups"] = draw(of_model("Backups"))
    return data


def draw_existing_lustre(draw: DrawFn, place: Place, network: Data, kind: LustreKind) -> Data:
    """Return an existing file system in the first subnet of an existing network."""
    data = {
        "kind": "existing",
        "file_system_id": draw(st.sampled_from(FILE_SYSTEMS)),
        "mount_name": draw(st.sampled_from(["fsx", "abcdefgh", "a1b2c3d4"])),
        "security_group_id": draw(st.sampled_from(SECURITY_GROUPS)),
        **_sizing(draw, place, kind),
    }
    if data.get("efa") or draw(st.booleans()):
        data |= {place.key: place.zone, "subnet_cidr": network["subnets"][0]["cidr"]}
    return data


def _sizing(draw: DrawFn, place: Place, kind: LustreKind) -> Data:
    """Return the keys that new and existing file systems share, such as throughput, EFA and version."""
    facts = catalog().lustre
    offer, _ = catalog().lustre_offer(place.region, place.zone)
    can = kind.efa and offer is not None and offer.efa
    efa: bool = draw(st.booleans()) if can else False
    data: Data = {"deployment": kind.deployment, "storage": kind.storage}
    if kind.tiers:
        data |= _sizes(draw, place, kind, efa=efa)
    else:
        data |= {"throughput_mbps": facts.tiering.throughput_step_mbps * draw(st.sampled_from(_STEPS))}
    if efa or draw(st.booleans()):
        data["efa"] = efa
    if efa and draw(st.booleans()):
        data["gpudirect"] = draw(st.booleans())
    iops = _metadata(data.get("capacity_gib"), kind)
    provisioned: bool = draw(st.booleans())
    if iops and provisioned:
        data["metadata_iops"] = draw(st.sampled_from(iops))
    elif not efa and draw(st.integers(0, 3)) == 0:
        data["version"] = draw(st.sampled_from(kind.versions))
    if draw(st.integers(0, 3)) == 0:
        data["checkpoint_paths"] = draw(st.lists(st.sampled_from(["/checkpoints", "/runs/a"]), unique=True))
    return data


def _sizes(draw: DrawFn, place: Place, kind: LustreKind, *, efa: bool) -> Data:
    offer, _ = catalog().lustre_offer(place.region, place.zone)
    known = kind.deployment == "persistent-2" and offer is not None
    tier = draw(st.sampled_from(offer.throughputs_mbps_per_tib if offer and known else kind.tiers))
    step = catalog().lustre.step_of(kind, tier, efa=efa)
    assert step is not None
    small = () if efa else kind.small_capacities_gib
    data: Data = {"capacity_gib": draw(st.sampled_from([*small, *(step * n for n in _STEPS)]))}
    return {**data, "throughput_mbps_per_tib": tier} if kind.states_tier else data


def _metadata(capacity_gib: int | None, kind: LustreKind) -> list[int]:
    """Return the metadata IOPS that a profile can set."""
    facts = catalog().lustre
    if not kind.metadata:
        return []
    if capacity_gib is None:
        return list(facts.tiering.metadata_iops)
    least = facts.automatic_metadata_iops(capacity_gib)
    return [iops for iops in facts.allowed_metadata_iops if iops >= least]


def _settings() -> st.SearchStrategy[Data]:
    return st.fixed_dictionaries(
        {},
        optional={
            "compression": st.sampled_from(["lz4", "none"]),
            "logs": st.sampled_from(["warn-error", "error-only", "warn-only", "disabled"]),
            "weekly_maintenance_start": st.sampled_from(["7:03:00", "1:23:59"]),
        },
    )


def _read_cache(draw: DrawFn, throughput_mbps: int) -> Data:
    """Return the read cache of a file system with this throughput."""
    facts = catalog().lustre.tiering
    sizing = draw(st.sampled_from(["proportional", "user-provisioned", "none"]))
    if sizing != "user-provisioned":
        return {"sizing": sizing}
    bounds = [bound * throughput_mbps // facts.throughput_step_mbps for bound in facts.cache_gib]
    return {"sizing": sizing, "size_gib": draw(st.sampled_from(bounds))}


def _repositories() -> st.SearchStrategy[list[Data]]:
    events = st.lists(st.sampled_from(EVENTS), unique=True, max_size=3)
    one = st.fixed_dictionaries(
        {"bucket": st.sampled_from(["new", "new", "my-bucket", "our.datasets-2027"])},
        optional={
            "import": events,
            "export": events,
            "listed": st.sampled_from(["import_metadata_on_create", "import_by_task"]),
            "imported_chunk_mib": st.sampled_from([1, 1024, 512000]),
        },
    )
    paths = ("/datasets", "/checkpoints", "/home", *(f"/scratch/{letter}" for letter in "abcdefgh"))
    return st.lists(one, max_size=10).map(
        lambda rows: [_repository(path, row) for path, row in zip(paths, rows, strict=False)]
    )


def _repository(path: str, row: Data) -> Data:
    made = {"path": path, **row}
    listed = made.pop("listed", None)
    if listed:
        made[listed] = True
    return made if row["bucket"] == "new" else {**made, "prefix": path.strip("/")}
