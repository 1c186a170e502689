"""Consistent profiles for all control planes; the rules accept most of the profiles."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.catalog import ControlPlane, InstanceType, catalog
from scripts.tools.fuzz.profiles.groups import draw_groups
from scripts.tools.fuzz.profiles.hyperpod import draw_slurm, with_settings
from scripts.tools.fuzz.profiles.images import draw_images
from scripts.tools.fuzz.profiles.kubernetes import draw_kubernetes
from scripts.tools.fuzz.profiles.networks import draw_network
from scripts.tools.fuzz.profiles.observability import draw_observability
from scripts.tools.fuzz.profiles.place import Place
from scripts.tools.fuzz.profiles.storage import draw_storage
from scripts.tools.fuzz.values.schema_values import definition, of_key
from scripts.tools.fuzz.values.typical import ACCOUNT, REASONS, TYPICAL, slurm_settings, zone_ids

Data = dict[str, Any]


@st.composite
def clusters(draw: DrawFn) -> Data:
    """Generate a cluster with all layers."""
    kinds = sorted(catalog().control_planes)
    plane = catalog().control_planes[draw(st.sampled_from(kinds))]
    careless = draw(st.integers(0, 7)) == 0
    whole_racks = draw(st.integers(0, 15)) == 0
    types = _ultraservers() if whole_racks else _types(plane, careless=careless)
    instance = draw(st.sampled_from(types))
    place = draw(_places(plane, instance))
    data: Data = {"name": draw(_names()), "region": place.region, place.key: place.zone}
    data |= draw(_trimmings())
    data["network"] = draw_network(draw, place, zones=max(plane.zones - 1, _service_zones(place)))
    data["compute"] = {"groups": draw_groups(draw, plane, instance, place)}
    storage = draw_storage(
        draw, place, data["network"], nvme=bool(instance.local_nvme), control_plane=plane.name
    )
    if storage:
        data["storage"] = storage
    data["orchestrator"] = draw_orchestrator(draw, plane, instance, data["compute"]["groups"])
    if plane.name == "pcs" and draw(st.integers(0, 3)) == 0:
        data["orchestrator"]["queues"] = _queues(draw, data["compute"]["groups"])
    if plane.name == "hyperpod-slurm" and draw(st.booleans()):
        data["compute"]["groups"] = with_settings(draw, data["compute"]["groups"], data["orchestrator"])
    data |= draw_observability(draw, place, data["orchestrator"])
    data |= draw_images(draw, place.region)
    return _with_waivers(draw, data)


@st.composite
def data_profiles(draw: DrawFn) -> Data:
    """Generate a data profile: network and storage, without compute groups."""
    region = draw(st.sampled_from(["us-west-2", "us-east-2", "eu-west-1"]))
    place = Place(region, draw(st.sampled_from(zone_ids(region)[:3])))
    data: Data = {"name": draw(_names()), "region": region, place.key: place.zone}
    data |= draw(_trimmings())
    data["network"] = draw_network(draw, place, zones=draw(st.integers(0, 2)))
    storage = draw_storage(draw, place, data["network"])
    data |= draw_images(draw, region)
    return {**data, "storage": storage} if storage else data


@st.composite
def clusters_on(draw: DrawFn, data_profile: Data, name: str) -> Data:
    """Generate a cluster on the network and storage of a data profile."""
    data = dict(draw(clusters()))
    place = Place(
        data_profile["region"], data_profile.get("availability_zone_id") or data_profile["availability_zone"]
    )
    plane = catalog().control_planes[data["orchestrator"]["kind"]]
    fitting = [i for i in _types(plane) if place.region in i.on_demand_regions] or _types(plane)
    instance = draw(st.sampled_from(fitting))
    data = {
        key: value for key, value in data.items() if key not in ("network", "storage", "waive", "account")
    }
    data = {key: value for key, value in data.items() if not key.startswith("availability")}
    data |= {"name": f"{data_profile['name'][:20]}-on", "region": place.region, "data": {"profile": name}}
    if draw(st.booleans()):
        data[place.key] = place.zone
    if "account" in data_profile:
        data["account"] = data_profile["account"]
    data["compute"] = {"groups": draw_groups(draw, plane, instance, place)}
    if "queues" in data["orchestrator"]:
        data["orchestrator"]["queues"] = _queues(draw, data["compute"]["groups"])
    if plane.name.endswith("eks"):  # the settings name groups
        data["orchestrator"] = draw_orchestrator(draw, plane, instance, data["compute"]["groups"])
    data.pop("observability", None)
    data.pop("images", None)
    return {
        **data,
        **draw_images(draw, place.region),
        **draw_observability(draw, place, data["orchestrator"]),
    }


def draw_orchestrator(draw: DrawFn, plane: ControlPlane, instance: InstanceType, groups: list[Data]) -> Data:
    """Return a control plane with its own settings."""
    data: Data = {"kind": plane.name}
    if plane.versions and (instance.ultraserver_only or draw(st.booleans())):
        key = "slurm_version" if plane.name == "pcs" else "kubernetes_version"
        newest = instance.ultraserver_only and draw(st.integers(0, 2)) > 0
        data[key] = plane.versions[-1] if newest else draw(st.sampled_from(plane.versions))
    if plane.name == "pcs":
        data |= _pcs(draw)
    if plane.name.startswith("hyperpod") and draw(st.booleans()):
        data["node_recovery"] = draw(st.sampled_from(["automatic", "automatic", "none"]))
    if plane.name == "hyperpod-slurm" and draw(st.booleans()):
        data |= draw_slurm(draw)
    if plane.name.endswith("eks"):
        data |= draw_kubernetes(draw, plane, groups)
    if plane.name == "eks" and draw(st.integers(0, 3)) == 0:
        data["pods_per_node"] = draw(st.integers(4, 40) | of_key("Eks", "pods_per_node"))
    return data


def _queues(draw: DrawFn, groups: list[Data]) -> list[Data]:
    """Return PCS queues of the compute groups; remove the groups' partitions, which the queues replace."""
    for group in groups:
        group.pop("partition", None)
    names = [group["name"] for group in groups if group["role"] == "compute"]
    queues: list[Data] = [{"name": "gpu", "groups": names}]
    if draw(st.booleans()):
        queues.append({"name": "urgent", "groups": names[:1], "settings": draw(slurm_settings("queue"))})
    return queues


def _pcs(draw: DrawFn) -> Data:
    """Return PCS settings, most of which are consistent; `_queues` adds the queues."""
    data: Data = {}
    if draw(st.booleans()):
        data["efa_interface"] = draw(st.sampled_from(["efa", "efa-only"]))
    if draw(st.booleans()):
        data["size"] = draw(st.sampled_from(["small", "medium", "large"]))
    if draw(st.booleans()):
        data["accounting"] = draw(of_key("Pcs", "accounting"))
        data["accounting_settings"] = draw(TYPICAL["accounting_settings"])
    if draw(st.integers(0, 2)) == 0:
        data["settings"] = draw(slurm_settings("cluster"))
    if draw(st.integers(0, 3)) == 0:
        data["cgroup_settings"] = draw(TYPICAL["cgroup_settings"])
    if draw(st.integers(0, 3)) == 0:
        data |= {"rest_api": draw(st.booleans()), "idle_seconds": draw(TYPICAL["idle_seconds"])}
    return data


def _ultraservers() -> list[InstanceType]:
    """Return the instance types that AWS sells only as UltraServers."""
    return [instance for instance in catalog().instances.values() if instance.ultraserver_only]


def _types(plane: ControlPlane, *, careless: bool = False) -> list[InstanceType]:
    """Return the GPU types that the control plane supports; `careless` adds UltraServers for PCS."""
    return [
        instance
        for instance in catalog().instances.values()
        if instance.is_gpu
        and (instance.max_efa or instance.name in ("g6.xlarge", "g6e.4xlarge"))
        and instance.capacity_kinds & plane.capacity_kinds
        and (careless or plane.name != "pcs" or not instance.ultraserver_only)
    ]


def _places(plane: ControlPlane, instance: InstanceType) -> st.SearchStrategy[Place]:
    """Generate zones that have the type, in Regions that have the control plane."""
    if instance.ultraserver_only:
        return st.just(Place("us-east-1", "use1-dfw2-az1"))
    offered = {*instance.on_demand_regions, *instance.capacity_block_regions} & set(catalog().regions)
    regions = sorted(
        name for name in offered if plane.service is None or getattr(catalog().regions[name], plane.service)
    )
    return st.sampled_from(regions).flatmap(
        lambda region: st.builds(
            Place,
            st.just(region),
            st.sampled_from([*zone_ids(region)[:3], *zone_ids(region)[:3], f"{region}a", f"{region}b"]),
        )
    )


def _service_zones(place: Place) -> int:
    """Return how many more zones the network needs: 1 if the nodes are in a Local Zone, otherwise 0."""
    return 1 if place.zone.count("-") > 1 and place.by_id else 0


def _names() -> st.SearchStrategy[str]:
    return TYPICAL["name"] | st.from_regex(r"[a-z][a-z0-9-]{0,20}[a-z0-9]", fullmatch=True)


def _trimmings() -> st.SearchStrategy[Data]:
    """Generate top-level keys that do not affect the other keys."""
    return st.fixed_dictionaries(
        {},
        optional={
            "description": of_key("Profile", "description"),
            "account": st.just(ACCOUNT),
            "disposable": st.booleans(),
            "tags": TYPICAL["tags"],
            "budget": of_key("Profile", "budget"),
            "calendar": of_key("Profile", "calendar"),
            "workload": of_key("Profile", "workload"),
        },
    )


def _with_waivers(draw: DrawFn, data: Data) -> Data:
    """Return the profile, sometimes with waivers for findings about capacity, Grafana or node recovery."""
    if "waive" not in definition("Profile")["properties"] or draw(st.integers(0, 5)):
        return data
    codes = draw(
        st.lists(st.sampled_from(["CAP005", "CAP009", "CAP011", "OBS003", "ORC008"]), unique=True, max_size=2)
    )
    return {**data, "waive": [{"code": code, "reason": draw(st.sampled_from(REASONS))} for code in codes]}
