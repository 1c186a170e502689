"""Nodes with taints of the profile: what belongs on every node runs there, other jobs are kept off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from config.design.kubernetes.scheduler.job_nodes import Work
from config.design.kubernetes.scheduler.jobs import gang_job
from config.design.kubernetes.scheduler.part import part
from tests.kubernetes.component_clusters import GB200, Contents, check_object, contents, machines
from tests.kubernetes.scheduling import objects, of_kind

TAINTS = [
    {"key": "team", "value": "vision"},
    {"key": "reserved", "effect": "no-execute"},
    {"key": "rather-not", "effect": "prefer-no-schedule"},
]
HARD = [
    {"key": "reserved", "operator": "Exists", "effect": "NoExecute"},
    {"key": "team", "operator": "Equal", "value": "vision", "effect": "NoSchedule"},
]
AS_OBJECTS = [
    {"key": "team", "value": "vision", "effect": "NoSchedule"},
    {"key": "reserved", "effect": "NoExecute"},
]
CLUSTERS: dict[str, dict[str, Any]] = {
    "plugins": {},
    "gpu_operator": {"orchestrator": {"scheduler": "kai"}},
    "claims": {"orchestrator": {"components": {"devices": "dra"}}},
    "hyperpod": {"orchestrator": {"kind": "hyperpod-eks"}},
    "hyperpod_with_the_operator": {"orchestrator": {"kind": "hyperpod-eks", "scheduler": "kai"}},
}


def tainted(**profile: Any) -> Contents:
    return contents(machines(taints=TAINTS), **profile)


def lists_of_tolerations(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every list of tolerations in values or settings, with where it stands."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "tolerations":
                yield path, inner
            else:
                yield from lists_of_tolerations(inner, f"{path}.{key}")


def of_devices(found: Contents) -> dict[str, Any]:
    """What each DaemonSet tolerates that hands out devices, finds them or watches over them."""
    values = {name: release.values for name, release in found.releases.items()}
    settings = {name: addon.settings for name, addon in found.addons.items()}
    return {
        path: tolerations
        for name, declared in {**values, **settings}.items()
        for path, tolerations in lists_of_tolerations(declared, name)
    }


@pytest.mark.parametrize("profile", CLUSTERS.values(), ids=CLUSTERS)
def test_devices_are_handed_out_on_nodes_with_taints_too(profile: dict[str, Any]) -> None:
    found = of_devices(tainted(**profile))
    assert len(found) >= 2
    assert {path for path, entries in found.items() if not all(one in entries for one in HARD)} == set()
    without = of_devices(contents(machines(), **profile))
    assert without.keys() == found.keys()
    assert [path for path, entries in without.items() if any(one in entries for one in HARD)] == []


def test_features_of_gpu_nodes_are_found_on_ultraservers_with_taints() -> None:
    found = of_devices(contents({**GB200, "taints": TAINTS}, extends="p6e-gb200"))
    assert all(one in found["gpu-feature-discovery.nfd.worker"] for one in HARD)


def test_the_monitoring_agent_sees_the_gpus_of_tainted_nodes() -> None:
    """AWS ships its DCGM without tolerations: nodes would be reported as faulty, and repaired for that."""
    gpu = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    (settings,) = [contents().addons["eks-node-monitoring-agent"].settings]
    assert settings == {"dcgmAgent": {"tolerations": [gpu]}}
    system = {"name": "cpu", "role": "compute", "instance_type": "m5.4xlarge", "count": 2}
    assert contents(system, storage={}).addons["eks-node-monitoring-agent"].settings == {}


def test_jobs_that_do_not_tolerate_a_taint_get_another_flavor() -> None:
    found = tainted()
    orchestrator, groups = found.orchestrator, found.design.groups
    (flavor,) = of_kind(objects(part(orchestrator, groups)), "ResourceFlavor")
    assert flavor["spec"]["nodeTaints"] == AS_OBJECTS
    check_object(flavor)
    job = gang_job(orchestrator, groups, Work(image="train:1", command=("true",)))[-1]
    assert job["spec"]["template"]["spec"]["tolerations"][1:] == HARD


def test_nodes_of_karpenter_have_the_taints_of_their_group() -> None:
    found = tainted(orchestrator={"karpenter": {"groups": [{"name": "train"}]}})
    (pool,) = of_kind(found.objects, "NodePool")
    check_object(pool)
    gpu = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    soft = {"key": "rather-not", "effect": "PreferNoSchedule"}
    assert pool["spec"]["template"]["spec"]["taints"] == [gpu, *AS_OBJECTS, soft]
