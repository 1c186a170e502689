"""AWS PCS clusters deployed, changed and deleted in the embedded cloud."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from scripts.cli.rehearsal.clusters import pcs_clusters_of
from scripts.cli.rehearsal.summary import Summary, as_text
from scripts.cloud.assets import put_assets
from scripts.cloud.extensions.nodes.images import image_parameters
from scripts.cloud.local import local_cloud
from tests.cloud.sandbox import REGION, Sandbox
from tests.conftest import Synthesized
from tests.profile.built_in import accepted

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

EXPRESSED = [name for name, kind in accepted() if kind == "pcs"]
BLOCK = {"kind": "capacity-block", "reservation_id": "cr-0a1b2c3d4e5f60718"}
LOGIN = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 4}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", EXPRESSED)
def test_a_built_in_profile_deploys(name: str, tried: Callable[[str, str | None], Synthesized]) -> None:
    design = load_cluster(name, orchestrator="pcs").design
    assert design is not None
    assert design.pcs is not None
    region = design.profile.region
    with local_cloud() as cloud:
        put_assets(cloud, region, tried(name, "pcs").folder)
        stack = cloud.deploy(region, name, tried(name, "pcs").text)
        assert stack.status == "CREATE_COMPLETE", [e.reason for e in stack.events if "FAILED" in e.status]
        pcs = cloud.client("pcs", region)
        (cluster,) = pcs.list_clusters()["clusters"]
        assert cluster["name"] == design.pcs.cluster_name
        found = groups_by_name(pcs, cluster["id"])
        assert {name: group["scalingConfiguration"]["maxInstanceCount"] for name, group in found.items()} == {
            plan.name: plan.group.count for plan in design.pcs.groups
        }
        assert {group["amiId"] for group in found.values()} <= set(image_parameters().values())


def groups_by_name(pcs: Any, cluster_id: str) -> dict[str, Any]:
    listed = pcs.list_compute_node_groups(clusterIdentifier=cluster_id)["computeNodeGroups"]
    named = {"clusterIdentifier": cluster_id}
    return {
        g["name"]: pcs.get_compute_node_group(**named, computeNodeGroupIdentifier=g["id"])["computeNodeGroup"]
        for g in listed
    }


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with local_cloud() as cloud:
        yield Sandbox(cloud, tmp_path)


def profile(*groups: dict[str, Any], **orchestrator: Any) -> dict[str, Any]:
    """A small cluster with home directories and its own file system."""
    return {
        "extends": "p6-b200",
        "name": "mine",
        "orchestrator": {"kind": "pcs", **orchestrator},
        "storage": {
            "lustre": {"data_repositories": [], "capacity_gib": 9600},
            "home": {"kind": "new", "users": 20},
        },
        "compute": {"groups": [LOGIN, *groups]},
    }


def clusters(sandbox: Sandbox) -> dict[str, Any]:
    """Return the clusters by id, each with the names of its groups and queues."""
    pcs = sandbox.client("pcs")
    return {
        cluster["id"]: (
            sorted(groups_by_name(pcs, cluster["id"])),
            sorted(q["name"] for q in pcs.list_queues(clusterIdentifier=cluster["id"])["queues"]),
        )
        for cluster in pcs.list_clusters()["clusters"]
    }


@pytest.mark.long
def test_another_instance_type_is_another_group_in_the_same_queue(sandbox: Sandbox) -> None:
    sandbox.deploy(profile(TRAIN))
    before = clusters(sandbox)
    sandbox.deploy(profile({**TRAIN, "instance_type": "p5en.48xlarge"}))
    after = clusters(sandbox)
    assert before.keys() == after.keys()
    ((groups, queues),) = after.values()
    ((groups_before, queues_before),) = before.values()
    assert queues == queues_before == ["train"]
    assert groups[0] == groups_before[0]  # of the login nodes
    assert (groups[1] != groups_before[1], len(groups)) == (True, 2)


@pytest.mark.long
def test_another_size_is_another_cluster_beside_the_old_one(sandbox: Sandbox) -> None:
    sandbox.deploy(profile(TRAIN))
    before = clusters(sandbox)
    sandbox.deploy(profile(TRAIN, size="medium"))
    after = clusters(sandbox)
    assert not before.keys() & after.keys()
    assert list(after.values()) == list(before.values())  # groups and queues keep their names


@pytest.mark.long
def test_growing_past_a_size_is_another_cluster_without_a_collision(sandbox: Sandbox) -> None:
    sandbox.deploy(profile({**TRAIN, "count": 31}))
    before = clusters(sandbox)
    sandbox.deploy(profile({**TRAIN, "count": 32}))
    assert not before.keys() & clusters(sandbox).keys()


@pytest.mark.long
def test_groups_and_queues_come_change_and_go(sandbox: Sandbox) -> None:
    more = {**TRAIN, "name": "more", "partition": "train", "scaling": "dynamic"}
    sandbox.deploy(profile(TRAIN, more))
    sandbox.deploy(profile(TRAIN, more | {"partition": "own", "slurm_settings": {"Weight": 5}}))
    ((_, queues),) = clusters(sandbox).values()
    assert queues == ["own", "train"]
    both = [{"name": "gpu", "groups": ["train", "more"]}, {"name": "urgent", "groups": ["more"]}]
    more.pop("partition")
    sandbox.deploy(profile(TRAIN, more, queues=both))
    ((_, queues),) = clusters(sandbox).values()
    assert queues == ["gpu", "urgent"]
    sandbox.deploy(profile(TRAIN, queues=[{"name": "gpu", "groups": ["train"]}]))
    ((groups, queues),) = clusters(sandbox).values()
    assert (len(groups), queues) == (2, ["gpu"])


@pytest.mark.long
def test_what_changes_in_place_keeps_the_cluster_and_its_groups(sandbox: Sandbox) -> None:
    sandbox.deploy(profile(TRAIN))
    before = clusters(sandbox)
    changed = {**TRAIN, "count": 8, "ami_id": "ami-0123456789abcdef0", "capacity": BLOCK}
    sandbox.deploy(profile(changed, slurm_version="26.05", accounting={}, settings={"MinJobAge": 600}))
    assert clusters(sandbox) == before
    (cluster_id,) = before
    pcs = sandbox.client("pcs")
    cluster = pcs.get_cluster(clusterIdentifier=cluster_id)["cluster"]
    assert cluster["scheduler"]["version"] == "26.05"
    assert cluster["slurmConfiguration"]["accounting"]["mode"] == "STANDARD"
    (train,) = (g for name, g in groups_by_name(pcs, cluster_id).items() if name.startswith("train"))
    assert (train["amiId"], train["purchaseOption"]) == ("ami-0123456789abcdef0", "CAPACITY_BLOCK")


@pytest.mark.long
def test_nodes_read_where_home_and_lustre_are_from_parameters_that_their_role_may_read(
    sandbox: Sandbox,
) -> None:
    sandbox.deploy(profile(TRAIN))
    cluster = sandbox.load(profile(TRAIN))
    assert cluster.design is not None
    assert cluster.design.pcs is not None
    names = cluster.design.pcs.scripts.parameters
    found = sandbox.client("ssm").get_parameters(Names=list(names))
    # the third is for home directories, the fourth is the address for metrics
    assert (len(names), found["InvalidParameters"]) == (4, [])
    text = sandbox.template(cluster)
    assert all(f":parameter{name}" in text for name in names)


@pytest.mark.long
def test_a_cluster_on_a_data_profile_deploys_and_goes_without_it(sandbox: Sandbox) -> None:
    data = profile() | {"extends": "p6-b200-data", "name": "data"}
    del data["orchestrator"], data["compute"]
    sandbox.deploy(data)
    on_it = {"extends": "p6-b200-cluster", "name": "mine", "data": {"profile": "./data.yaml"}}
    sandbox.deploy({**on_it, "orchestrator": {"kind": "pcs"}, "compute": {"groups": [LOGIN, TRAIN]}})
    assert len(clusters(sandbox)) == 1
    sandbox.delete("mine")
    assert clusters(sandbox) == {}
    assert len(sandbox.client("fsx").describe_file_systems()["FileSystems"]) == 2


@pytest.mark.long
def test_a_deployment_shows_its_cluster_and_how_to_log_in(sandbox: Sandbox) -> None:
    stack = sandbox.deploy(profile(TRAIN))
    ((arn, found),) = ((r.physical_id, r) for r in stack.resources.values() if r.type == "AWS::PCS::Cluster")
    (cluster,) = pcs_clusters_of(sandbox.place, REGION, [arn])
    assert (cluster.status, cluster.nodes, found.status) == ("ACTIVE", 5, "CREATE_COMPLETE")
    assert [(g.instance_type, g.count) for g in cluster.groups] == [
        ("m5.4xlarge", 1),
        ("p6-b200.48xlarge", 4),
    ]
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stack.outputs}
    assert outputs["ClusterId"] == arn.rpartition("/")[2]
    assert outputs["LoginCommand"].startswith("aws ssm start-session --region us-west-2 --target")
    # by the Name tag of the login nodes' launch template
    (data,) = (
        r.properties["LaunchTemplateData"]
        for r in stack.resources.values()
        if r.type == "AWS::EC2::LaunchTemplate" and "login" in r.logical_id
    )
    names = {
        tag["Value"] for spec in data["TagSpecifications"] for tag in spec["Tags"] if tag["Key"] == "Name"
    }
    assert names == {"mine-login"}
    assert "Name=tag:Name,Values=mine-login" in outputs["LoginCommand"]


@pytest.mark.long
def test_deletion_leaves_no_cluster_role_or_template(sandbox: Sandbox) -> None:
    sandbox.deploy(profile(TRAIN))
    sandbox.delete("mine")
    assert clusters(sandbox) == {}
    assert sandbox.client("ec2").describe_launch_templates()["LaunchTemplates"] == []
    assert sandbox.client("iam").list_roles(PathPrefix="/aws-pcs/")["Roles"] == []
    assert sandbox.client("iam").list_instance_profiles(PathPrefix="/aws-pcs/")["InstanceProfiles"] == []


@pytest.mark.long
def test_a_dynamic_group_is_shown_with_the_nodes_that_it_has_and_those_it_may_get(sandbox: Sandbox) -> None:
    stack = sandbox.deploy(profile({**TRAIN, "scaling": "dynamic"}))
    arns = [r.physical_id for r in stack.resources.values() if r.type == "AWS::PCS::Cluster"]
    (cluster,) = pcs_clusters_of(sandbox.place, REGION, arns)
    assert [group.description for group in cluster.groups] == [
        "1 x m5.4xlarge",
        "0 now, up to 4 x p6-b200.48xlarge",
    ]
    shown = Summary(
        profile="mine", stack="mine", region=REGION, status="CREATE_COMPLETE", resources=9,
        clusters=(cluster,), file_systems=(), directory_buckets=(), workspaces=(), outputs={}, destroy="",
    )  # fmt: skip
    assert "ACTIVE, 1 node now, up to 5\n" in as_text(shown)
