"""Clusters of Amazon EKS deployed, changed and deleted in a cloud of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from scripts.cli.rehearsal.clusters import Cluster, eks_clusters_of
from scripts.cloud.assets import put_assets
from scripts.cloud.local import local_cloud
from tests.cloud.sandbox import REGION, Sandbox
from tests.conftest import Synthesized
from tests.profile.built_in import accepted

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

EXPRESSED = [name for name, kind in accepted() if kind == "eks"]
BLOCK = {"kind": "capacity-block", "reservation_id": "cr-0a1b2c3d4e5f60718"}
TOOLS = {"name": "tools", "role": "system", "instance_type": "m6i.4xlarge", "count": 2}
TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 4}
RESEARCHERS = "arn:aws:iam::123456789012:role/researchers"


@pytest.mark.long
@pytest.mark.parametrize("name", EXPRESSED)
def test_a_built_in_profile_deploys(name: str, tried: Callable[[str, str | None], Synthesized]) -> None:
    design = load_cluster(name, orchestrator="eks").design
    assert design is not None
    assert design.eks is not None
    region = design.profile.region
    with local_cloud() as cloud:
        cloud.bootstrap(region)
        put_assets(cloud, region, tried(name, "eks").folder)
        stack = cloud.deploy(region, name, tried(name, "eks").text)
        assert stack.status == "CREATE_COMPLETE", [e.reason for e in stack.events if "FAILED" in e.status]
        eks = cloud.client("eks", region)
        assert eks.list_clusters()["clusters"] == [design.eks.cluster_name]
        found = groups_of(eks, design.eks.cluster_name)
        assert {name: group["scalingConfig"]["desiredSize"] for name, group in found.items()} == {
            plan.name: plan.group.count for plan in design.eks.groups
        }
        order = [e.logical_id for e in stack.events if e.status == "CREATE_COMPLETE"]
        made: dict[str, list[int]] = {}
        for key, resource in stack.resources.items():
            if resource.type.startswith("AWS::EKS::"):
                name = "system" if "Groupsystem" in key else resource.properties.get("AddonName")
                made.setdefault(name or resource.type, []).append(order.index(key))
        assert max(made["AWS::EKS::Cluster"]) < min(made["vpc-cni"])
        assert max(made["vpc-cni"]) < min(made["AWS::EKS::Nodegroup"] + made["system"])
        assert min(made["AWS::EKS::PodIdentityAssociation"]) < min(made["vpc-cni"])
        assert max(made["system"]) < min(made["coredns"])


def groups_of(eks: Any, cluster: str) -> dict[str, Any]:
    """Node groups by EKS's name."""
    named = eks.list_nodegroups(clusterName=cluster)["nodegroups"]
    return {
        name: eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"] for name in named
    }


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with local_cloud() as cloud:
        yield Sandbox(cloud, tmp_path)


def profile(*groups: dict[str, Any], **orchestrator: Any) -> dict[str, Any]:
    """A small cluster with a file system of its own."""
    return {
        "extends": "p6-b200",
        "name": "mine",
        "orchestrator": {"kind": "eks", **orchestrator},
        "storage": {"lustre": {"data_repositories": [], "capacity_gib": 9600}},
        "compute": {"groups": [TOOLS, *groups]},
    }


def cluster_of(sandbox: Sandbox) -> dict[str, Any]:
    eks = sandbox.client("eks")
    (name,) = eks.list_clusters()["clusters"]
    found: dict[str, Any] = eks.describe_cluster(name=name)["cluster"]
    return found


def entries_of(sandbox: Sandbox) -> dict[str, list[str]]:
    """Policies by the name of the principal."""
    eks, cluster = sandbox.client("eks"), cluster_of(sandbox)["name"]
    return {
        arn.rpartition("/")[2]: [
            policy["policyArn"].rpartition("/")[2]
            for policy in eks.list_associated_access_policies(clusterName=cluster, principalArn=arn)[
                "associatedAccessPolicies"
            ]
        ]
        for arn in eks.list_access_entries(clusterName=cluster)["accessEntries"]
    }


def nodegroups(sandbox: Sandbox) -> dict[str, Any]:
    return groups_of(sandbox.client("eks"), cluster_of(sandbox)["name"])


@pytest.mark.long
def test_slurm_12_another_type_image_or_kind_of_capacity_is_another_group_beside_the_old_one(
    sandbox: Sandbox,
) -> None:
    sandbox.deploy(profile(TRAIN))
    names = set(nodegroups(sandbox))
    for changed in (
        {**TRAIN, "instance_type": "p5en.48xlarge"},
        {**TRAIN, "capacity": BLOCK},
        {**TRAIN, "capacity": {"kind": "spot"}, "instance_type": "g6.48xlarge"},
    ):
        sandbox.deploy(profile(changed))  # a name that was taken would have failed
        now = set(nodegroups(sandbox))
        assert len(now & names) == 1  # of the system
        assert len(now) == 2
        names = now


@pytest.mark.long
def test_what_changes_in_place_keeps_cluster_and_groups(sandbox: Sandbox) -> None:
    sandbox.deploy(profile(TRAIN))
    before, groups = cluster_of(sandbox)["arn"], set(nodegroups(sandbox))
    more = {
        "kubernetes_version": "1.36",
        "endpoint": {"kind": "public", "cidrs": ["203.0.113.0/24"]},
        "control_plane_logs": {"types": ["audit"]},
        "support": "standard",
        "node_repair": {"max_parallel": 3},
        "addon_versions": {"coredns": "v1.14.3-eksbuild.23"},
    }
    sandbox.deploy(profile({**TRAIN, "count": 8, "root_volume_gib": 500}, **more))
    cluster = cluster_of(sandbox)
    assert (cluster["arn"], set(nodegroups(sandbox))) == (before, groups)
    assert cluster["version"] == "1.36"
    assert cluster["resourcesVpcConfig"]["publicAccessCidrs"] == ["203.0.113.0/24"]
    assert cluster["upgradePolicy"]["supportType"] == "STANDARD"
    (train,) = (group for name, group in nodegroups(sandbox).items() if name.startswith("train"))
    assert (train["version"], train["releaseVersion"]) == ("1.36", "1.36.2-20260714")
    assert train["scalingConfig"]["desiredSize"] == 8
    assert train["nodeRepairConfig"]["maxParallelNodesRepairedCount"] == 3
    assert train["launchTemplate"]["version"] == "2"


@pytest.mark.long
def test_another_key_of_secrets_is_another_cluster_without_a_collision(sandbox: Sandbox) -> None:
    sandbox.deploy(profile(TRAIN))
    before = cluster_of(sandbox)
    sandbox.deploy(profile(TRAIN, secrets_key={"kind": "new"}))
    after = cluster_of(sandbox)
    assert before["name"] != after["name"]
    (encrypted,) = after["encryptionConfig"]
    assert encrypted["provider"]["keyArn"].startswith("arn:aws:kms:")
    assert len(nodegroups(sandbox)) == 2


@pytest.mark.long
def test_hyperpod_34_who_deploys_has_access_and_others_come_and_go(sandbox: Sandbox) -> None:
    sandbox.client("iam").create_role(RoleName="researchers", AssumeRolePolicyDocument="{}")
    sandbox.deploy(profile(TRAIN))
    admin = "cdk-hnb659fds-deploy-role-123456789012-us-west-2"
    assert entries_of(sandbox)[admin] == ["AmazonEKSClusterAdminPolicy"]
    edit = {"principal": RESEARCHERS, "policy": "edit", "namespaces": ["team-a"]}
    sandbox.deploy(profile(TRAIN, access=[edit]))
    assert entries_of(sandbox)["researchers"] == ["AmazonEKSEditPolicy"]
    sandbox.deploy(profile(TRAIN, access=[{"principal": RESEARCHERS, "policy": "view"}]))
    assert entries_of(sandbox)["researchers"] == ["AmazonEKSViewPolicy"]
    sandbox.deploy(profile(TRAIN))
    assert "researchers" not in entries_of(sandbox)


@pytest.mark.long
def test_a_cluster_on_a_data_profile_deploys_and_goes_without_it(sandbox: Sandbox) -> None:
    data = profile() | {"extends": "p6-b200-data", "name": "data"}
    del data["orchestrator"], data["compute"]
    sandbox.deploy(data)
    on_it = {"extends": "p6-b200-cluster", "name": "mine", "data": {"profile": "./data.yaml"}}
    sandbox.deploy({**on_it, "orchestrator": {"kind": "eks"}, "compute": {"groups": [TOOLS, TRAIN]}})
    assert len(nodegroups(sandbox)) == 2
    sandbox.delete("mine")
    assert sandbox.client("eks").list_clusters()["clusters"] == []
    assert len(sandbox.client("fsx").describe_file_systems()["FileSystems"]) == 1


@pytest.mark.long
def test_a_deployment_shows_its_cluster_and_how_kubectl_reaches_it(sandbox: Sandbox) -> None:
    stack = sandbox.deploy(profile(TRAIN))
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stack.outputs}
    name = cluster_of(sandbox)["name"]
    assert outputs["ClusterName"] == name
    role = "arn:aws:iam::123456789012:role/cdk-hnb659fds-deploy-role-123456789012-us-west-2"
    assert outputs["KubeconfigCommand"] == (
        f"aws eks update-kubeconfig --region us-west-2 --name {name} --role-arn {role}"
    )
    alone = {"deployer_access": False, "access": [{"principal": RESEARCHERS, "policy": "cluster-admin"}]}
    sandbox.client("iam").create_role(RoleName="researchers", AssumeRolePolicyDocument="{}")
    outputs = {o["OutputKey"]: o["OutputValue"] for o in sandbox.deploy(profile(TRAIN, **alone)).outputs}
    assert outputs["KubeconfigCommand"] == f"aws eks update-kubeconfig --region us-west-2 --name {name}"


@pytest.mark.long
def test_deletion_leaves_no_cluster_role_template_or_log_group(sandbox: Sandbox) -> None:
    sandbox.deploy(profile(TRAIN, secrets_key={"kind": "new"}))
    sandbox.delete("mine")
    assert sandbox.client("eks").list_clusters()["clusters"] == []
    assert sandbox.client("ec2").describe_launch_templates()["LaunchTemplates"] == []
    named = [role["RoleName"] for role in sandbox.client("iam").list_roles()["Roles"]]
    assert [name for name in named if name.startswith("mine-")] == []
    groups = sandbox.client("logs").describe_log_groups(logGroupNamePrefix="/aws/eks/")["logGroups"]
    assert groups == []


@pytest.mark.long
def test_a_deployment_shows_the_cluster_its_nodes_and_how_much_is_in_it(sandbox: Sandbox) -> None:
    stack = sandbox.deploy(profile(TRAIN))
    ids: dict[str, list[str]] = {}
    for resource in stack.resources.values():
        ids.setdefault(resource.type, []).append(str(resource.physical_id))
    (cluster,) = eks_clusters_of(sandbox.place, REGION, ids)
    name = cluster_of(sandbox)["name"]
    releases = len(ids["Custom::AWSCDK-EKS-HelmChart"])
    objects = len(ids["Custom::AWSCDK-EKS-KubernetesResource"])
    lines = list(cluster.as_lines())
    assert lines[0] == f"  cluster {name}: ACTIVE, Kubernetes 1.35, 6 nodes"
    assert [line.partition(": ")[2] for line in lines[1:3]] == ["2 x m6i.4xlarge", "4 x p6-b200.48xlarge"]
    assert lines[3] == f"    installed: {releases} Helm releases, {objects} objects"


def test_a_control_plane_without_nodes_of_its_own_shows_its_version_alone() -> None:
    shown = Cluster("mine", "arn", "ACTIVE", (), 0, kubernetes="1.35", releases=2, objects=3)
    assert list(shown.as_lines()) == [
        "  cluster mine: ACTIVE, Kubernetes 1.35",
        "    installed: 2 Helm releases, 3 objects",
    ]
