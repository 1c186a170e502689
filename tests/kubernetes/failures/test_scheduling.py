"""Public failures of jobs on Kubernetes: what they ask of a node, and where they are placed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from config.catalog import catalog
from config.design.build import design
from config.design.kubernetes.scheduler.job_nodes import Work
from config.design.kubernetes.scheduler.jobs import gang_job
from config.design.kubernetes.scheduler.part import part
from config.design.kubernetes.steps import Release
from tests.kubernetes.admission import nodes_of, place, within_quota
from tests.kubernetes.scheduling import (
    BUILT_IN,
    CONTROL_PLANES,
    kubernetes,
    machines,
    number,
    objects,
    of_built_in,
    of_kind,
    part_of,
    profile_of,
)
from tests.rules.planting import Check, errors, profile
from tests.tables import each_row

WORK = Work(image="train:1", command=("torchrun", "train.py"))
EFA = {
    "p5.4xlarge": 1, "p5.48xlarge": 32, "p5e.48xlarge": 32, "p5en.48xlarge": 16, "p6-b200.48xlarge": 8,
    "p6-b300.48xlarge": 16, "p6e-gb200.36xlarge": 4,
}  # fmt: skip
"""EFA interfaces of a node, as AWS lays them out."""


def asked(job: Any) -> dict[str, str]:
    """What a pod of a job asks for: GPUs, EFA, huge pages."""
    (container,) = template_of(job)["spec"]["containers"]
    limits: dict[str, str] = container["resources"]["limits"]
    return limits


def template_of(job: Any) -> dict[str, Any]:
    """The template of a job's pods."""
    spec = job["spec"]
    template: dict[str, Any] = spec["tasks"][0]["template"] if "tasks" in spec else spec["template"]
    return template


@pytest.mark.parametrize("name", ["p5", "p6-b200", "p6-b300"])
def test_eks_19_a_training_job_asks_for_all_efa_interfaces_of_its_nodes(name: str) -> None:
    orchestrator, groups = of_built_in(name, "eks", "kueue")
    job = gang_job(orchestrator, groups, WORK)[-1]
    train = next(group for group in groups if group.role == "compute")
    assert asked(job)["vpc.amazonaws.com/efa"] == str(EFA[train.instance_type.name])
    assert asked(job)["hugepages-2Mi"] == "5120Mi"
    assert asked(job)["nvidia.com/gpu"] == "8"
    assert job["spec"]["parallelism"] == train.count


@each_row("name, kind, scheduler", BUILT_IN)
def test_ec2_10_pods_have_efa_from_its_plugin_and_no_folder_of_the_hosts_devices(
    name: str, kind: str, scheduler: str
) -> None:
    orchestrator, groups = of_built_in(name, kind, scheduler)
    job = gang_job(orchestrator, groups, WORK)[-1]
    assert "emptyDir" in json.dumps(job)
    assert "hostPath" not in json.dumps(job)


@each_row("name, scheduler", sorted({(name, scheduler) for name, _, scheduler in BUILT_IN}))
def test_hyperpod_25_jobs_ask_for_no_label_that_their_nodes_lack(name: str, scheduler: str) -> None:
    orchestrator, groups = of_built_in(name, "hyperpod-eks", scheduler)
    cluster = design(profile_of(name, "hyperpod-eks")).hyperpod_eks
    assert cluster is not None
    template = template_of(gang_job(orchestrator, groups, WORK)[-1])
    assert "affinity" not in template["spec"]
    selected = template["spec"]["nodeSelector"]
    assert selected
    assert any(selected.items() <= labels.items() for labels in cluster.labels.values())


@each_row("name, kind, scheduler", BUILT_IN)
def test_eks_27_a_job_asks_for_whole_nodes_all_gpus_and_all_efa(name: str, kind: str, scheduler: str) -> None:
    orchestrator, groups = of_built_in(name, kind, scheduler)
    train = next(group for group in groups if group.role == "compute")
    *others, job = gang_job(orchestrator, groups, WORK)
    wanted = asked(job)
    if (name, kind) == (
        "p6e-gb200",
        "eks",
    ):  # its devices are claimed: what is asked for stands beside the job
        assert {"nvidia.com/gpu", "vpc.amazonaws.com/efa"}.isdisjoint(wanted)
        (template,) = of_kind(others, "ResourceClaimTemplate")
        names = {"gpu.nvidia.com": "nvidia.com/gpu", "efa.networking.k8s.aws": "vpc.amazonaws.com/efa"}
        for one in template["spec"]["spec"]["devices"]["requests"]:
            wanted[names[one["exactly"]["deviceClassName"]]] = str(one["exactly"]["count"])
    assert train.instance_type.gpu is not None
    assert wanted["nvidia.com/gpu"] == str(train.instance_type.gpu.count)
    assert wanted["vpc.amazonaws.com/efa"] == str(EFA[train.instance_type.name])


def test_eks_30_a_job_that_fits_the_quota_but_no_nodes_waits_for_whole_nodes() -> None:
    """7, 7 and 8 GPUs are free: quota alone would admit two pods of 8."""
    two, three = (machines(("train", "p6-b200.48xlarge", count)) for count in (2, 3))
    found = objects(part(kubernetes(), three))
    (queue,) = of_kind(found, "ClusterQueue")
    *_, job = gang_job(kubernetes(), two, WORK)
    fragmented = nodes_of(3, per_leaf=3, n0=1, n1=1)
    free = sum(node.free["nvidia.com/gpu"] for node in fragmented)
    pods = int(job["spec"]["parallelism"])
    assert free >= pods * number(asked(job)["nvidia.com/gpu"])
    assert within_quota(job, queue)
    assert place(job, found, fragmented) is None
    assert place(job, found, nodes_of(3, per_leaf=3, n0=1)) is not None


@each_row("name, kind, scheduler", BUILT_IN)
def test_eks_30_every_topology_ends_at_the_node_itself(name: str, kind: str, scheduler: str) -> None:
    found = objects(part_of(name, kind, scheduler))
    for topology in of_kind(found, "Topology"):
        assert topology["spec"]["levels"][-1] == {"nodeLabel": "kubernetes.io/hostname"}
    for flavor in of_kind(found, "ResourceFlavor"):
        assert flavor["spec"]["topologyName"] in {
            one["metadata"]["name"] for one in of_kind(found, "Topology")
        }


# rules that no report has: R12 (levels of a topology), R13 (what a pod asks for and a queue counts)


@pytest.mark.parametrize("kind", CONTROL_PLANES)
@pytest.mark.parametrize("instance", EFA)
def test_r12_a_topology_has_the_layers_of_its_family_the_widest_first(instance: str, kind: str) -> None:
    groups = machines(("train", instance, 2), kind=kind)
    (topology,) = of_kind(objects(part(kubernetes(kind), groups)), "Topology")
    levels = [level["nodeLabel"] for level in topology["spec"]["levels"][:-1]]
    layers = [f"topology.k8s.aws/network-node-layer-{n}" for n in (1, 2, 3, 4)]
    if instance == "p6e-gb200.36xlarge":
        domain = "nvidia.com/gpu.clique" if kind == "eks" else "topology.k8s.aws/ultraserver-id"
        assert levels == [layers[0], domain]
        return
    row = catalog().instances[instance]
    assert row.network_layers is not None
    assert levels == layers[: row.network_layers]
    assert len(levels) == {"p6": 4, "p5": 0 if instance == "p5.4xlarge" else 3}[instance[:2]]


def test_r12_families_of_other_depths_have_topologies_of_their_own() -> None:
    groups = machines(("a", "p5.48xlarge", 2), ("b", "p6-b200.48xlarge", 2), ("c", "p5.4xlarge", 2))
    found = objects(part(kubernetes(), groups))
    depths = {one["metadata"]["name"]: len(one["spec"]["levels"]) for one in of_kind(found, "Topology")}
    assert depths == {"p5": 4, "p6-b200": 5, "hosts": 1}
    flavors = {
        one["metadata"]["name"]: one["spec"]["topologyName"] for one in of_kind(found, "ResourceFlavor")
    }
    assert flavors == {"a-p5": "p5", "b-p6-b200": "p6-b200", "c-hosts": "hosts"}


@pytest.mark.parametrize("kind", CONTROL_PLANES)
def test_r12_the_label_of_hyperpods_ultraservers_is_refused_elsewhere(kind: str, check: Check) -> None:
    declared = f"{{kind: {kind}, scheduling: {{nvlink_domain: ultraserver}}}}"
    found = errors(check(profile(kind).replace(f"{{kind: {kind}}}", declared)))
    assert ("KUB007" in found) == (kind == "eks")


@pytest.mark.parametrize("name", ["p5", "p5en", "p6-b200", "p6-b300", "p6e-gb200"])
@pytest.mark.parametrize("kind", CONTROL_PLANES)
def test_r13_a_queue_counts_all_that_a_whole_job_asks_for_and_has_room_for_it(name: str, kind: str) -> None:
    orchestrator, groups = of_built_in(name, kind, "kueue")
    found = objects(part(orchestrator, groups))
    (queue,) = of_kind(found, "ClusterQueue")
    (resources,) = queue["spec"]["resourceGroups"]
    *_, job = gang_job(orchestrator, groups, WORK)
    assert asked(job).keys() <= set(resources["coveredResources"])
    assert within_quota(job, queue)


def test_eks_42_kueue_replaces_tainted_nodes_or_does_not_start() -> None:
    """A Kueue without the gate would reject its configuration."""
    (release,) = [
        step for step in part(*of_built_in("p6-b200", "eks", "kueue")).steps if isinstance(step, Release)
    ]
    gates = release.values["controllerManager"]["featureGates"]
    assert {"name": "TASReplaceNodeOnNodeTaints", "enabled": True} in gates
