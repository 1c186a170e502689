"""Node groups with a type and capacity that the control plane supports."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.catalog import ControlPlane, InstanceType, catalog
from scripts.tools.fuzz.profiles.place import Place
from scripts.tools.fuzz.values.typical import TYPICAL, plan_arns, zone_ids

Data = dict[str, Any]
_HEADS = ("m5.4xlarge", "m6i.4xlarge", "m7i.8xlarge", "c5.9xlarge")


def draw_groups(draw: DrawFn, plane: ControlPlane, instance: InstanceType, place: Place) -> list[Data]:
    """Return compute groups, mostly with one GPU type, and the groups that the control plane requires."""
    groups = _heads(draw, plane)
    mixed = _beside(plane, instance, place) if draw(st.integers(0, 3)) == 0 else [instance]
    careless = draw(st.integers(0, 7)) == 0
    for number in range(draw(st.integers(1, 12 if careless else 3))):
        made = _compute(draw, plane, draw(st.sampled_from(mixed)), place, 0 if careless else number)
        groups.append({**made, "name": f"train-{number}"})
    return list(draw(st.permutations(groups))) if draw(st.booleans()) else groups


def _beside(plane: ControlPlane, instance: InstanceType, place: Place) -> list[InstanceType]:
    """Return the type and other GPU types with a purchase option in this Region and control plane."""
    return [
        instance,
        *(
            other
            for other in catalog().instances.values()
            if other.is_gpu
            and place.region in other.on_demand_regions
            and other.capacity_kinds & plane.capacity_kinds
        ),
    ]


def _heads(draw: DrawFn, plane: ControlPlane) -> list[Data]:
    head: Data = {"instance_type": draw(st.sampled_from(_HEADS))}
    if plane.name == "hyperpod-slurm":
        groups = [{"name": "controller", "role": "controller", **head, "count": 1}]
        if draw(st.booleans()):
            groups.append({"name": "login", "role": "login", **head, "count": draw(st.integers(1, 2))})
        return groups
    roles = [role for role in plane.roles if role != "compute"]
    # a Kubernetes cluster without system nodes is rejected
    with_heads: bool = draw(st.integers(0, 15)) > 0 if "system" in roles else draw(st.booleans())
    if roles and with_heads:
        return [{"name": "heads", "role": roles[0], **head, "count": draw(st.integers(1, 3))}]
    return []


def _compute(draw: DrawFn, plane: ControlPlane, instance: InstanceType, place: Place, number: int) -> Data:
    kinds = sorted(instance.capacity_kinds & plane.capacity_kinds) or sorted(instance.capacity_kinds)
    kind = draw(st.sampled_from(kinds))
    units = catalog().units_of(instance.name)
    unit = draw(st.sampled_from(sorted(units))) if instance.ultraserver_only else None
    counts = [units[unit].instances, units[unit].instances - 1] if unit else [1, 2, 3, 4, 8, 16]
    group: Data = {
        "name": f"train-{number}", "role": "compute", "instance_type": instance.name,
        "count": draw(st.sampled_from(counts)), "capacity": _capacity(draw, kind, place, unit, number),
    }  # fmt: skip
    if kind == "on-demand" and draw(st.booleans()):
        group.pop("capacity")
    made = group | _settings(draw, plane, instance, group)
    # with other control planes, teams and lifecycle scripts must agree with spare nodes
    if plane.name == "pcs" and made.get("scaling") != "dynamic" and group["count"] > 1 and not unit:
        made |= {"spare": 1} if draw(st.integers(0, 3)) == 0 else {}
    return made


def _settings(draw: DrawFn, plane: ControlPlane, instance: InstanceType, group: Data) -> Data:
    """Return keys of a group that its control plane supports."""
    made: Data = {}
    if plane.name in ("hyperpod-slurm", "pcs") and draw(st.integers(0, 2)) == 0:
        made["partition"] = draw(st.sampled_from(["gpu", "train", group["name"]]))
    if draw(st.integers(0, 3)) == 0:
        made["threads_per_core"] = draw(st.sampled_from([1, 1, instance.threads_per_core, 2]))
    if plane.name == "pcs":
        made |= _of_pcs(draw)
    if plane.launch_template:
        if instance.max_efa and draw(st.integers(0, 2)) == 0:
            layouts = sorted(set(instance.layouts) & {"ip-saving", "max-ena"}) or ["none"]
            made["efa"] = {"layout": draw(st.sampled_from([*layouts, "none"]))}
        reserved = group.get("capacity", {})
        if "placement_group" in reserved:
            made["placement_group"] = {"kind": "existing", "name": reserved["placement_group"]}
        elif reserved.get("kind") in (None, "on-demand", "spot") and draw(st.integers(0, 3)) == 0:
            made["placement_group"] = draw(
                st.sampled_from([{"kind": "new"}, {"kind": "existing", "name": "ours"}])
            )
        return made
    if draw(st.integers(0, 3)) == 0:
        made["volume_gib"] = draw(st.sampled_from([1, 100, 500, 16384]))
    if instance.is_gpu and draw(st.integers(0, 3)) == 0:
        checks = ["instance-stress"] + (["instance-connectivity"] if group["count"] > 1 else [])
        made["deep_health_checks"] = draw(st.lists(st.sampled_from(checks), unique=True))
    return made


def _of_pcs(draw: DrawFn) -> Data:
    """Return keys of a group that only PCS supports, or that its launch template sets."""
    made: Data = {}
    if draw(st.integers(0, 2)) == 0:
        made["scaling"] = draw(st.sampled_from(["static", "dynamic"]))
        if made["scaling"] == "dynamic" and draw(st.booleans()):
            made["idle_seconds"] = draw(TYPICAL["idle_seconds"])
    if draw(st.integers(0, 2)) == 0:
        made |= {"ami_id": draw(TYPICAL["ami_id"]), "root_device": draw(TYPICAL["root_device"])}
        made["root_volume_gib"] = draw(st.sampled_from([75, 300, 500]))
    if draw(st.integers(0, 3)) == 0:
        made["slurm_settings"] = {"Weight": draw(st.integers(1, 100))}
    return made


def _capacity(draw: DrawFn, kind: str, place: Place, unit: str | None, number: int) -> Data:
    data: Data = {"kind": kind}
    zone = {"availability_zone_id": place.zone} if place.by_id else {}
    reserved: Data = {"ultraserver": unit} if unit else {}
    if draw(st.booleans()):
        reserved |= {
            "start": "2027-01-04T11:30Z",
            "end": draw(st.sampled_from(["2027-01-11T11:30Z", "2027-01-25T11:30Z"])),
        }
    if kind == "capacity-block":
        data |= {"reservation_id": f"cr-0a1b2c3d4e5f6071{number}", **reserved}
        data |= zone if draw(st.booleans()) else {}
        if "end" in data and draw(st.integers(0, 3)) == 0:
            data |= {"next": {"reservation_id": f"cr-0a1b2c3d4e5f6073{number}", "start": data["end"]}}
    elif kind == "training-plan":
        data |= {"arn": draw(plan_arns(place.region)), "availability_zone_id": _zone_id(place), **reserved}
    elif kind == "odcr":
        if draw(st.booleans()):
            return {**data, "match": "open"}
        data |= {"reservation_id": f"cr-0a1b2c3d4e5f6072{number}"}
        data |= zone if draw(st.booleans()) else {}
        data |= {"placement_group": "ours"} if draw(st.integers(0, 3)) == 0 else {}
    return data


def _zone_id(place: Place) -> str:
    """Return the zone id of the place; if it has a zone name, the first zone id of its Region."""
    return place.zone if place.by_id else zone_ids(place.region)[0]
