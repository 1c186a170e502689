"""Profiles that agree with themselves: most of them are accepted, whatever their control plane."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.catalog import ControlPlane, InstanceType, catalog
from config.profile.orchestrator import AVAILABLE
from scripts.fuzz.grounds import draw_network, draw_storage
from scripts.fuzz.machines import draw_groups
from scripts.fuzz.place import Place
from scripts.fuzz.schema_values import definition, of_key
from scripts.fuzz.words import ACCOUNT, REASONS, WORDS, zone_ids

Data = dict[str, Any]


@st.composite
def clusters(draw: DrawFn, *, built: bool = False) -> Data:
    """A cluster with all of its layers; `built` takes only control planes that this version builds."""
    kinds = list(AVAILABLE) if built else sorted(catalog().control_planes)
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
    storage = draw_storage(draw, place, nvme=bool(instance.local_nvme))
    if storage:
        data["storage"] = storage
    data["orchestrator"] = draw_orchestrator(draw, plane, instance)
    data |= _observability(draw, place)
    return _with_waivers(draw, data)


@st.composite
def grounds(draw: DrawFn) -> Data:
    """A data profile: network and storage without machines."""
    region = draw(st.sampled_from(["us-west-2", "us-east-2", "eu-west-1"]))
    place = Place(region, draw(st.sampled_from(zone_ids(region)[:3])))
    data: Data = {"name": draw(_names()), "region": region, place.key: place.zone}
    data |= draw(_trimmings())
    data["network"] = draw_network(draw, place, zones=draw(st.integers(0, 2)))
    storage = draw_storage(draw, place, nvme=False)
    return {**data, "storage": storage} if storage else data


@st.composite
def clusters_on(draw: DrawFn, ground: Data, name: str) -> Data:
    """A cluster on the network and storage of a data profile."""
    data = dict(draw(clusters(built=True)))
    place = Place(ground["region"], ground.get("availability_zone_id") or ground["availability_zone"])
    plane = catalog().control_planes[data["orchestrator"]["kind"]]
    fitting = [i for i in _types(plane) if place.region in i.on_demand_regions] or _types(plane)
    instance = draw(st.sampled_from(fitting))
    data = {
        key: value for key, value in data.items() if key not in ("network", "storage", "waive", "account")
    }
    data = {key: value for key, value in data.items() if not key.startswith("availability")}
    data |= {"name": f"{ground['name'][:20]}-on", "region": place.region, "data": {"profile": name}}
    if draw(st.booleans()):
        data[place.key] = place.zone
    if "account" in ground:
        data["account"] = ground["account"]
    data["compute"] = {"groups": draw_groups(draw, plane, instance, place)}
    data.pop("observability", None)
    return {**data, **_observability(draw, place)}


def draw_orchestrator(draw: DrawFn, plane: ControlPlane, instance: InstanceType) -> Data:
    """The control plane with settings of its own."""
    data: Data = {"kind": plane.name}
    if plane.versions and (instance.ultraserver_only or draw(st.booleans())):
        key = "slurm_version" if plane.name == "pcs" else "kubernetes_version"
        newest = instance.ultraserver_only and draw(st.integers(0, 2)) > 0
        data[key] = plane.versions[-1] if newest else draw(st.sampled_from(plane.versions))
    if plane.name == "pcs" and draw(st.booleans()):
        data["efa_interface"] = draw(st.sampled_from(["efa", "efa-only"]))
    if plane.name.startswith("hyperpod") and draw(st.booleans()):
        data["node_recovery"] = draw(st.sampled_from(["automatic", "automatic", "none"]))
    if plane.name == "hyperpod-slurm" and draw(st.booleans()):
        data["slurm_config_strategy"] = draw(of_key("HyperPodSlurm", "slurm_config_strategy"))
    if plane.name == "eks" and draw(st.integers(0, 3)) == 0:
        data["pods_per_node"] = draw(st.integers(4, 40) | of_key("Eks", "pods_per_node"))
    return data


def _ultraservers() -> list[InstanceType]:
    """Types that are sold by the UltraServer alone, whatever takes them."""
    return [instance for instance in catalog().instances.values() if instance.ultraserver_only]


def _types(plane: ControlPlane, *, careless: bool = False) -> list[InstanceType]:
    """GPU types that the control plane can have, or for the careless any that it could be paid for."""
    return [
        instance
        for instance in catalog().instances.values()
        if instance.is_gpu
        and (instance.max_efa or instance.name in ("g6.xlarge", "g6e.4xlarge"))
        and instance.capacity_kinds & plane.capacity_kinds
        and (careless or plane.name != "pcs" or not instance.ultraserver_only)
    ]


def _places(plane: ControlPlane, instance: InstanceType) -> st.SearchStrategy[Place]:
    """Zones that sell the type and have the control plane."""
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
    """Zones of the Region that a Local Zone's network needs."""
    return 1 if place.zone.count("-") > 1 and place.by_id else 0


def _names() -> st.SearchStrategy[str]:
    return WORDS["name"] | st.from_regex(r"[a-z][a-z0-9-]{0,20}[a-z0-9]", fullmatch=True)


def _trimmings() -> st.SearchStrategy[Data]:
    """Keys that mean nothing to the rest; new ones of the whole profile come from the schema."""
    return st.fixed_dictionaries(
        {},
        optional={
            "description": of_key("Profile", "description"),
            "account": st.just(ACCOUNT),
            "disposable": st.booleans(),
            "workload": of_key("Profile", "workload"),
        },
    )


def _observability(draw: DrawFn, place: Place) -> Data:
    region = catalog().region(place.region)
    if region is None or draw(st.integers(0, 3)) == 0:
        return {}
    data: Data = {}
    careless = draw(st.integers(0, 15)) == 0
    if (region.prometheus or careless) and draw(st.booleans()):
        data["prometheus"] = {"kind": "managed"}
        if draw(st.booleans()):
            data["prometheus"]["retention_days"] = draw(of_key("ManagedPrometheus", "retention_days"))
    if (region.grafana or careless) and draw(st.booleans()):
        data["grafana"] = {
            "kind": "managed",
            "authentication": draw(of_key("ManagedGrafana", "authentication")),
        }
    if draw(st.booleans()):
        data["log_retention_days"] = draw(WORDS["log_retention_days"])
    return {"observability": data}


def _with_waivers(draw: DrawFn, data: Data) -> Data:
    """Now and then findings that are accepted: those of machines that nobody promises."""
    if "waive" not in definition("Profile")["properties"] or draw(st.integers(0, 5)):
        return data
    codes = draw(
        st.lists(st.sampled_from(["CAP005", "CAP009", "CAP011", "OBS003", "ORC008"]), unique=True, max_size=2)
    )
    return {**data, "waive": [{"code": code, "reason": draw(st.sampled_from(REASONS))} for code in codes]}
