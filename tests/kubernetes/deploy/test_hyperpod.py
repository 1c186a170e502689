"""HyperPod with EKS in all its parts on the embedded cloud: made, changed, refused, and taken down."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.cloud.kubernetes.clusters import contents_of
from scripts.cloud.local import local_cloud
from tests.cloud.sandbox import REGION, Sandbox, explained

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

NAME = "kubernetes"
SYSTEM = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2, "min_count": 2}
TRAIN = {"name": "train", "role": "compute", "instance_type": "p5e.48xlarge", "count": 2}


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with local_cloud() as cloud:
        yield Sandbox(cloud, tmp_path)


def profile(*groups: dict[str, Any], **orchestrator: Any) -> dict[str, Any]:
    declared = {
        "kind": "hyperpod-eks", "provisioning": "continuous", "deployer_access": False, **orchestrator,
    }  # fmt: skip
    return {
        "extends": "p6-b200", "name": NAME, "orchestrator": declared, "disposable": True, "storage": None,
        "observability": None, "compute": {"groups": [SYSTEM, *(groups or (TRAIN,))]},
    }  # fmt: skip


def the_cluster(sandbox: Sandbox) -> dict[str, Any]:
    sagemaker = sandbox.client("sagemaker")
    ((name),) = [summary["ClusterName"] for summary in sagemaker.list_clusters()["ClusterSummaries"]]
    description: dict[str, Any] = sagemaker.describe_cluster(ClusterName=name)
    return description


def group_of(cluster: dict[str, Any], name: str = "train") -> dict[str, Any]:
    return dict(next(g for g in cluster["InstanceGroups"] if g["InstanceGroupName"] == name))


def eks_name(cluster: dict[str, Any]) -> str:
    name: str = cluster["Orchestrator"]["Eks"]["ClusterArn"].split("/")[-1]
    return name


TEAMS = {"teams": [{"name": "research", "quotas": [{"instance_type": "p5e.48xlarge", "nodes": 2}]}]}


def test_nodes_join_and_teams_and_operators_find_them_and_nothing_is_left(sandbox: Sandbox) -> None:
    sandbox.deploy(profile(task_governance=TEAMS, training_operator={}, inference_operator={}))
    cluster = the_cluster(sandbox)
    eks, sagemaker = sandbox.client("eks"), sandbox.client("sagemaker")
    entries = {
        eks.describe_access_entry(clusterName=eks_name(cluster), principalArn=arn)["accessEntry"]["type"]
        for arn in eks.list_access_entries(clusterName=eks_name(cluster))["accessEntries"]
    }
    assert "HYPERPOD_LINUX" in entries
    installed = set(eks.list_addons(clusterName=eks_name(cluster))["addons"])
    assert {
        "amazon-sagemaker-hyperpod-taskgovernance", "amazon-sagemaker-hyperpod-training-operator",
        "amazon-sagemaker-hyperpod-inference", "cert-manager",
    } <= installed  # fmt: skip
    (quota,) = sagemaker.list_compute_quotas()["ComputeQuotaSummaries"]
    assert quota["ComputeQuotaTarget"]["TeamName"] == "research"
    associations = eks.list_pod_identity_associations(clusterName=eks_name(cluster))["associations"]
    assert "hp-training-operator-controller-manager" in {one["serviceAccount"] for one in associations}
    sandbox.delete(NAME)
    assert sagemaker.list_clusters()["ClusterSummaries"] == []
    assert eks.list_clusters()["clusters"] == []
    assert sandbox.client("iam").list_open_id_connect_providers()["OpenIDConnectProviderList"] == []


@pytest.mark.long
def test_the_chart_comes_before_the_nodes_and_what_waits_for_pods_after_them(sandbox: Sandbox) -> None:
    stack = sandbox.deploy(profile())
    done = [e.logical_id for e in stack.events if e.status == "CREATE_COMPLETE"]
    (nodes,) = sandbox.ids(NAME, "AWS::SageMaker::Cluster")
    releases = sandbox.ids(NAME, "Custom::AWSCDK-EKS-HelmChart")
    early = {key for key in releases if done.index(key) < done.index(nodes)}
    assert [key for key in early if "hyperpoddependencies" in key]
    names = {one for key in early for one in ("kueue", "jobset", "lws", "kubeflowtrainer") if one in key}
    assert not names, "these wait for pods, which need nodes"
    contents = contents_of(sandbox.cloud.account, REGION, eks_name(the_cluster(sandbox)))
    order = contents.order()
    assert order.index("install hyperpod-dependencies") < order.index("install kueue")
    values = contents.release("hyperpod-dependencies").values
    assert values["nvidia-device-plugin"] == {"devicePlugin": {"enabled": False}}
    assert contents.release("kueue").waited
    assert not contents.release("nvidia-device-plugin").waited


@pytest.mark.long
def test_task_governance_brings_the_only_kueue(sandbox: Sandbox) -> None:
    sandbox.deploy(profile(task_governance={}))
    contents = contents_of(sandbox.cloud.account, REGION, eks_name(the_cluster(sandbox)))
    assert "install kueue" not in contents.order()


@pytest.mark.long
def test_labels_taints_and_counts_change_in_place(sandbox: Sandbox) -> None:
    sandbox.deploy(profile())
    before = the_cluster(sandbox)
    taint = {"key": "team", "value": "research"}
    sandbox.deploy(profile({**TRAIN, "count": 4, "labels": {"team": "research"}, "taints": [taint]}))
    after = the_cluster(sandbox)
    assert after["ClusterArn"] == before["ClusterArn"]
    kubernetes = group_of(after)["KubernetesConfig"]
    assert kubernetes["DesiredLabels"]["team"] == "research"
    assert kubernetes["DesiredTaints"] == [{"Key": "team", "Value": "research", "Effect": "NoSchedule"}]
    assert group_of(after)["TargetCount"] == 4


@pytest.mark.long
def test_karpenter_is_on_and_its_groups_have_no_nodes(sandbox: Sandbox) -> None:
    burst = {**TRAIN, "name": "burst", "count": 0}
    sandbox.deploy(profile(TRAIN, burst, autoscaling={"groups": ["burst"]}))
    cluster = the_cluster(sandbox)
    assert cluster["AutoScaling"]["Mode"] == "Enable"
    assert group_of(cluster, "burst")["TargetCount"] == 0
    contents = contents_of(sandbox.cloud.account, REGION, eks_name(cluster))
    (node_class,), (pool,) = contents.of_kind("HyperpodNodeClass"), contents.of_kind("NodePool")
    assert node_class["spec"] == {"instanceGroups": ["burst"]}
    assert pool["spec"]["template"]["spec"]["nodeClassRef"]["name"] == node_class["metadata"]["name"]


@pytest.mark.long
def test_checkpoints_in_memory_can_be_turned_on_later(sandbox: Sandbox) -> None:
    sandbox.deploy(profile())
    sandbox.deploy(profile(tiered_checkpointing={"memory_percent": 30}))
    tiers = the_cluster(sandbox)["TieredStorageConfig"]
    assert tiers == {"Mode": "Enable", "InstanceMemoryAllocationPercentage": 30}


@pytest.mark.long
def test_another_control_plane_has_another_cluster_of_nodes(sandbox: Sandbox) -> None:
    sandbox.deploy(profile())
    before = the_cluster(sandbox)
    sandbox.deploy(profile(secrets_key={"kind": "new"}))
    after = the_cluster(sandbox)
    assert eks_name(after) != eks_name(before)
    assert after["ClusterName"] != before["ClusterName"]


@pytest.mark.long
def test_task_governance_is_not_updated_over_what_it_cannot_be(sandbox: Sandbox) -> None:
    name = "amazon-sagemaker-hyperpod-taskgovernance"
    old, new = ({"addon_versions": {name: f"v{minor}.0-eksbuild.1"}} for minor in ("1.3", "1.6"))
    sandbox.deploy(profile(task_governance={}, **old))
    stack = sandbox.try_deploy(sandbox.load(profile(task_governance={}, **new)))
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert "cannot be updated from v1.3.0-eksbuild.1 to v1.6.0-eksbuild.1" in explained(stack)


@pytest.mark.long
def test_a_volume_key_that_is_not_there_is_refused(sandbox: Sandbox) -> None:
    key = "arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
    stack = sandbox.try_deploy(sandbox.load(profile({**TRAIN, "volume_key_arn": key})))
    assert f"the key {key} does not exist" in explained(stack)
