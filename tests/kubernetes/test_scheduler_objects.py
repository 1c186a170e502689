"""What a scheduler brings into a cluster is what the cluster takes, in an order in which it takes it."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
import yaml

from config.catalog import catalog
from config.design.kubernetes.model import Part
from config.design.kubernetes.scheduler.job_nodes import Work
from config.design.kubernetes.scheduler.jobs import gang_job
from config.design.kubernetes.scheduler.part import NAMESPACES, part
from config.design.kubernetes.steps import HYPERPOD, NODES, Release, Wait
from config.profile.kubernetes.nodes import Taint
from config.profile.kubernetes.task_governance import TaskGovernance
from tests.kubernetes.chart_values import unread
from tests.kubernetes.scheduling import (
    BUILT_IN,
    SCHEDULERS,
    TRAIN,
    faults,
    kubernetes,
    machines,
    objects,
    of_built_in,
    of_kind,
    part_of,
    release,
)
from tests.tables import each_row

WORK = Work(image="123456789012.dkr.ecr.us-west-2.amazonaws.com/train:1", command=("torchrun", "train.py"))
TEAMS: list[dict[str, Any]] = [
    {"name": "vision", "shares": [{"nodes": 8, "borrow": 4, "lend": 2}]},
    {"name": "speech", "namespace": "speech-jobs", "shares": [{"gpus": 20, "borrow": 0}]},
    {"name": "guests"},
]


@each_row("name, kind, scheduler", BUILT_IN)
def test_every_object_of_a_built_in_cluster_is_valid(name: str, kind: str, scheduler: str) -> None:
    found = [*objects(part_of(name, kind, scheduler)), *gang_job(*of_built_in(name, kind, scheduler), WORK)]
    assert {f"{one['kind']} {one['metadata']['name']}": faults(one) for one in found if faults(one)} == {}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_object_of_a_cluster_with_teams_is_valid(scheduler: str) -> None:
    teams: list[dict[str, Any]] = copy.deepcopy(TEAMS)
    if scheduler == "kai":
        teams[0] = {"name": "vision", "shares": [{"nodes": 8, "borrow": 4}]}
    groups = (*TRAIN, *machines(("cpu", "m5.4xlarge", 2), ("old", "p5.48xlarge", 4)))
    for team in teams:
        for share in team.get("shares", ()):
            share |= {"group": "train"}
    found = objects(part(kubernetes(scheduler=scheduler, teams=teams), groups))
    assert [fault for one in found for fault in faults(one)] == []


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("teams", [[], [{"name": "vision", "shares": [{"group": "train", "nodes": 0}]}]])
def test_a_cluster_whose_compute_groups_are_all_empty_has_valid_queues(
    scheduler: str, teams: list[dict[str, Any]]
) -> None:
    found = objects(part(kubernetes(scheduler=scheduler, teams=teams), machines(("train", "p5.48xlarge", 0))))
    assert [one for one in found if "Queue" in one["kind"]]
    assert [fault for one in found for fault in faults(one)] == []


def test_a_job_over_nodes_that_are_not_there_is_refused() -> None:
    with pytest.raises(LookupError, match="no compute group tools"):
        gang_job(kubernetes(), TRAIN, WORK, group="tools")
    with pytest.raises(LookupError, match="no compute group has nodes"):
        gang_job(kubernetes(), (), WORK)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_job_tolerates_the_taints_of_its_groups_own(scheduler: str) -> None:
    taint = Taint(key="team", value="a")
    *_, job = gang_job(kubernetes(scheduler=scheduler), (replace(TRAIN[0], taints=(taint,)),), WORK)
    tasks = job["spec"]["tasks"][0] if scheduler == "volcano" else job["spec"]
    wanted = {"key": "team", "operator": "Equal", "value": "a", "effect": "NoSchedule"}
    assert wanted in tasks["template"]["spec"]["tolerations"]
    assert faults(job) == []


@each_row("name, kind, scheduler", BUILT_IN)
def test_the_chart_reads_every_value_that_it_is_given(name: str, kind: str, scheduler: str) -> None:
    found = release(part_of(name, kind, scheduler))
    chart = catalog().charts[found.chart]
    assert unread(chart, found.values) == ()
    assert chart.namespace == found.namespace


def test_a_key_that_a_cluster_would_drop_is_a_fault() -> None:
    queue = of_kind(objects(part(kubernetes(), TRAIN)), "ClusterQueue")[0]
    assert faults({**queue, "spec": {**queue["spec"], "cohort": "cluster"}})


NAMES = {"topologyName": "Topology", "parentQueue": "Queue", "clusterQueue": "ClusterQueue"}
"""What objects are named by, in keys of others."""


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_an_object_is_there_before_one_that_names_it_and_all_are_after_the_release(scheduler: str) -> None:
    teams = [{"name": "vision", "shares": [{"nodes": 8}]}, {"name": "guests", "namespace": "guest-jobs"}]
    found = part(kubernetes(scheduler=scheduler, teams=teams), TRAIN)
    assert release(found).wait
    # its nodes are not gone before what it has to let go of
    assert set(release(found).after) == {NODES, HYPERPOD}
    assert 2 * release(found).timeout_minutes < 15  # a roll-back waits as long as the upgrade before it
    there: dict[str, set[tuple[str, str]]] = {NAMESPACES: set(), release(found).name: set()}
    for step in found.steps:
        if isinstance(step, Release):
            continue
        before = {known for name in step.after for known in there[name]}
        if isinstance(step, Wait):
            there[step.name] = before
            continue
        for one in step.objects:
            spec = one.get("spec", {})
            named = {(kind, spec[key]) for key, kind in NAMES.items() if key in spec}
            named |= {("Namespace", space) for space in [one["metadata"].get("namespace")] if space}
            named |= {
                ("ResourceFlavor", flavor["name"])
                for group in spec.get("resourceGroups", ())
                for flavor in group["flavors"]
            }
            assert named <= before
        there[step.name] = before | {(one["kind"], one["metadata"]["name"]) for one in step.objects}
        assert step.name == NAMESPACES or _reaches(found, step.name, release(found).name)


def test_queues_of_kai_come_when_their_webhook_answers_which_its_operator_installs_after_helm_is_done() -> (
    None
):
    found = part(kubernetes(scheduler="kai"), TRAIN)
    (wait,) = [step for step in found.steps if isinstance(step, Wait)]
    assert wait.after == (release(found).name,)
    assert (wait.kind, wait.object_name, wait.namespace) == (
        "deployment",
        "queue-controller",
        "kai-scheduler",
    )
    queues = [step for step in found.steps if step.name in ("queues", "team-queues")]
    assert queues
    assert all(_reaches(found, step.name, wait.name) for step in queues)


def _reaches(found: Part, step: str, wanted: str) -> bool:
    """Whether a step comes after another, directly or not."""
    after = {one.name: one.after for one in found.steps}
    return wanted in after[step] or any(_reaches(found, name, wanted) for name in after[step])


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_the_order_in_which_teams_are_written_changes_nothing(scheduler: str) -> None:
    teams = [{"name": name, "shares": [{"gpus": gpus}]} for name, gpus in (("b", 30), ("a", 50), ("c", 7))]
    there, back = (
        part(kubernetes(scheduler=scheduler, teams=declared), TRAIN) for declared in (teams, teams[::-1])
    )
    assert objects(there) == objects(back)
    assert release(there).values == release(back).values


def test_task_governance_brings_its_own_kueue_and_queues() -> None:
    governed = kubernetes("hyperpod-eks").model_copy(update={"task_governance": TaskGovernance()})
    assert part(governed, TRAIN).steps == ()
    with pytest.raises(LookupError, match="task governance"):
        gang_job(governed, TRAIN, WORK)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_the_scheduler_runs_on_the_system_nodes_and_twice_where_there_are_two(scheduler: str) -> None:
    system = machines(("tools", "m5.4xlarge", 2), role="system")
    values = release(part(kubernetes(scheduler=scheduler), (*TRAIN, *system))).values
    text = yaml.safe_dump(_plain(values))
    assert "ultracluster/role: system" in text
    assert "key: nvidia.com/gpu" not in text
    assert "eplicas: 2" in text or "replicaCount: 2" in text
    alone = yaml.safe_dump(_plain(release(part(kubernetes(scheduler=scheduler), TRAIN)).values))
    assert "key: nvidia.com/gpu" in alone
    assert "ultracluster/role" not in alone


def _plain(values: Any) -> Any:
    if isinstance(values, dict):
        return {key: _plain(value) for key, value in values.items()}
    return [_plain(value) for value in values] if isinstance(values, list) else values


# Kueue


def configuration(**scheduling: Any) -> dict[str, Any]:
    version = scheduling.pop("version", "1.35")
    values = release(part(kubernetes(version=version, **scheduling), TRAIN)).values
    found = yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])
    assert isinstance(found, dict)
    return found


def test_kueue_manages_the_namespaces_of_teams_and_nothing_else_of_the_cluster() -> None:
    found = configuration(teams=TEAMS)
    (only,) = found["managedJobsNamespaceSelector"]["matchExpressions"]
    assert only == {
        "key": "kubernetes.io/metadata.name", "operator": "In", "values": ["guests", "speech-jobs", "vision"],
    }  # fmt: skip
    assert found["manageJobsWithoutQueueName"] is True


def test_a_job_whose_pods_do_not_all_run_in_time_gives_its_nodes_back() -> None:
    waiting = configuration(kueue={"ready_minutes": 45, "recovery_minutes": 5})["waitForPodsReady"]
    assert (waiting["timeout"], waiting["recoveryTimeout"]) == ("45m", "5m")


def test_claims_of_devices_count_as_given_ones_from_the_kubernetes_that_has_them() -> None:
    mapped = {
        row["name"]: row["deviceClassNames"] for row in configuration()["resources"]["deviceClassMappings"]
    }
    assert mapped == {
        "nvidia.com/gpu": ["gpu.nvidia.com"], "vpc.amazonaws.com/efa": ["efa.networking.k8s.aws"],
    }  # fmt: skip
    assert "deviceClassMappings" not in configuration(version="1.33")["resources"]


def test_a_team_borrows_only_inside_the_cohort_of_all() -> None:
    alone = of_kind(objects(part(kubernetes(), TRAIN)), "ClusterQueue")
    assert [queue["spec"].get("cohortName") for queue in alone] == [None]
    queues = of_kind(objects(part(kubernetes(teams=TEAMS), TRAIN)), "ClusterQueue")
    assert {queue["spec"]["cohortName"] for queue in queues} == {"cluster"}
    # the rules of the CRD, which no schema checks
    for queue in (*alone, *queues):
        (group,) = queue["spec"]["resourceGroups"]
        assert all(len(flavor["resources"]) == len(group["coveredResources"]) for flavor in group["flavors"])


def test_machines_without_gpus_are_tried_first_and_those_with_gpus_tolerate_their_taint() -> None:
    groups = machines(("a-gpu", "p6-b200.48xlarge", 2), ("b-cpu", "m5.4xlarge", 2))
    found = objects(part(kubernetes(), groups))
    (queue,) = of_kind(found, "ClusterQueue")
    assert [flavor["name"] for flavor in queue["spec"]["resourceGroups"][0]["flavors"]] == [
        "b-cpu-hosts",
        "a-gpu-p6-b200",
    ]
    cpu, gpu = of_kind(found, "ResourceFlavor")
    assert "tolerations" not in cpu["spec"]
    assert [one["key"] for one in gpu["spec"]["tolerations"]] == ["nvidia.com/gpu"]
    # jobs that name no place get one only where all flavors have a topology
    assert all("topologyName" in flavor["spec"] for flavor in (cpu, gpu))


# Volcano


def test_volcanos_controller_gets_a_mapping_and_its_scheduler_a_text() -> None:
    custom = release(part(kubernetes(scheduler="volcano"), TRAIN)).values["custom"]
    assert isinstance(custom["controller_config_override"], dict)
    scheduler = yaml.safe_load(custom["scheduler_config_override"])
    plugins = {plugin["name"] for tier in scheduler["tiers"] for plugin in tier["plugins"]}
    assert {"gang", "capacity", "network-topology-aware"} <= plugins
    assert "proportion" not in plugins


@pytest.mark.parametrize(
    ("types", "levels"),
    [
        (["p6-b200.48xlarge"], [1, 2, 3, 4]),
        (["p5.48xlarge"], [1, 2, 3]),
        (["p5.48xlarge", "p6-b200.48xlarge"], [1, 2, 3]),
        (["p5.4xlarge"], []),
        (["p5.4xlarge", "p5en.48xlarge"], [1, 2, 3]),
    ],
)
def test_volcano_finds_the_domains_that_all_networks_have(types: list[str], levels: list[int]) -> None:
    groups = machines(*((f"g{i}", kind, 2) for i, kind in enumerate(types)))
    custom = release(part(kubernetes(scheduler="volcano"), groups)).values["custom"]
    discovery = custom["controller_config_override"]["networkTopologyDiscovery"]
    if not levels:
        assert discovery == []
        return
    ((name, labels),) = discovery[0]["config"]["networkTopologyTypes"].items()
    assert len(name) <= 20  # a longer name is passed over
    wanted = [f"topology.k8s.aws/network-node-layer-{level}" for level in levels]
    # the last label is that of the nodes: Volcano makes no domain of it
    assert [label["nodeLabel"] for label in labels] == [*wanted, "kubernetes.io/hostname"]


@pytest.mark.parametrize(
    ("preemption", "actions"),
    [
        ({}, "enqueue, allocate, preempt, reclaim, backfill"),
        ({"reclaim": "never"}, "enqueue, allocate, preempt, backfill"),
        ({"within_team": "never", "reclaim": "never"}, "enqueue, allocate, backfill"),
    ],
)
def test_volcano_takes_back_only_what_the_profile_allows(preemption: dict[str, str], actions: str) -> None:
    values = release(part(kubernetes(scheduler="volcano", preemption=preemption), TRAIN)).values
    assert yaml.safe_load(values["custom"]["scheduler_config_override"])["actions"] == actions


def test_a_bound_of_a_team_is_a_bound_of_its_volcano_queue() -> None:
    found = objects(part(kubernetes(scheduler="volcano", teams=TEAMS), TRAIN))
    queues = {queue["metadata"]["name"]: queue["spec"] for queue in of_kind(found, "Queue")}
    gpus = {
        name: tuple(
            spec.get(key, {}).get("resource", spec.get(key, {})).get("nvidia.com/gpu")
            for key in ("guarantee", "deserved", "capability")
        )
        for name, spec in queues.items()
    }
    # 8 nodes with 2 to lend and 4 to borrow; 20 GPUs and no more; nothing of its own and no bound
    assert gpus == {"vision": ("48", "64", "96"), "speech": (None, "20", "20"), "guests": (None, "0", None)}


# KAI


def test_kais_queues_are_children_of_one_that_has_everything() -> None:
    teams = [{"name": "vision", "shares": [{"nodes": 8, "borrow": 4}], "weight": 3}, {"name": "guests"}]
    found = of_kind(objects(part(kubernetes(scheduler="kai", teams=teams), TRAIN)), "Queue")
    assert [queue["spec"].get("parentQueue") for queue in found] == [None, "cluster", "cluster"]
    gpus = {queue["metadata"]["name"]: queue["spec"]["resources"]["gpu"] for queue in found}
    assert gpus == {
        "cluster": {"quota": 128, "limit": -1, "overQuotaWeight": 1},
        "vision": {"quota": 64, "limit": 96, "overQuotaWeight": 3},
        "guests": {"quota": 0, "limit": -1, "overQuotaWeight": 1},
    }


def test_kai_has_one_shard_and_no_queue_of_its_chart() -> None:
    found = part(kubernetes(scheduler="kai", kai={"reclaim_after_minutes": 10}), TRAIN)
    values = release(found).values
    assert values["defaultQueue"] == {"createDefaultQueue": False}
    assert values["defaultShard"] == {"enabled": False}
    (shard,) = of_kind(objects(found), "SchedulingShard")
    assert shard["spec"]["minRuntime"] == {"preemptMinRuntime": "0m", "reclaimMinRuntime": "10m"}
    assert of_kind(objects(found), "PriorityClass") == []
