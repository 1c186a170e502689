"""ParallelCluster configurations of profiles: their keys, and the ids to fill in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from config.design.report.parallelcluster import KnownIds, Written
from config.design.report.parallelcluster.nodes import HEAD_MEMORY_GIB, head_type
from config.design.report.parallelcluster.table import TRANSLATIONS
from config.profile.model import Profile
from config.rules.codes import OF_PARALLELCLUSTER
from tests.slurm.parallelcluster.files import BLOCK, PLACEMENT, PROFILES, RESERVATION, loaded, written
from tests.tables import each_row

Json = dict[str, Any]
KEY = "arn:aws:kms:us-west-2:123456789012:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"


def built_in(name: str, ids: KnownIds | None = None) -> Written:
    return written(load_cluster(name, further=OF_PARALLELCLUSTER), ids)


def of(folder: Path, name: str, ids: KnownIds | None = None) -> Json:
    return dict(written(loaded(folder, name), ids).configuration)


def resource(file: Json) -> Json:
    found: Json = file["Scheduling"]["SlurmQueues"][0]["ComputeResources"][0]
    return found


def test_nodes_of_hyperpod_become_head_node_pool_and_queue() -> None:
    file = built_in("p6-b200").configuration
    assert file["HeadNode"]["InstanceType"] == "m5.4xlarge"
    (pool,) = file["LoginNodes"]["Pools"]
    assert (pool["Name"], pool["Count"]) == ("login", 1)
    (queue,) = file["Scheduling"]["SlurmQueues"]
    (machines,) = queue["ComputeResources"]
    assert (machines["InstanceType"], machines["MinCount"], machines["MaxCount"]) == (
        "p6-b200.48xlarge",
        16,
        16,
    )


def test_without_a_controller_the_head_node_is_what_the_login_nodes_are(tmp_path: Path) -> None:
    assert of(tmp_path, "login-nodes-of-pcs")["HeadNode"]["InstanceType"] == "m5.4xlarge"


def test_without_any_such_group_the_head_node_is_the_smallest_that_is_enough(tmp_path: Path) -> None:
    cluster = loaded(tmp_path, "spot")
    assert cluster.design is not None
    found = head_type(cluster.design)
    assert found is not None
    assert found.memory_gib >= HEAD_MEMORY_GIB
    assert found.name == of(tmp_path, "spot")["HeadNode"]["InstanceType"]
    assert "LoginNodes" not in of(tmp_path, "spot")


@pytest.mark.parametrize(
    ("name", "kind", "target"),
    [
        ("block", "CAPACITY_BLOCK", {"CapacityReservationId": BLOCK}),
        ("reserved-in-a-placement-group", "ONDEMAND", {"CapacityReservationId": RESERVATION}),
        ("open-reservation", "ONDEMAND", None),
        ("spot", "SPOT", None),
    ],
)
def test_machines_are_bought_as_the_profile_says(
    tmp_path: Path, name: str, kind: str, target: Json | None
) -> None:
    file = of(tmp_path, name)
    assert file["Scheduling"]["SlurmQueues"][0]["CapacityType"] == kind
    assert resource(file).get("CapacityReservationTarget") == target


@pytest.mark.parametrize(
    ("name", "placed"),
    [
        ("block", None),
        ("open-reservation", {"PlacementGroup": {"Enabled": False}}),
        ("placed", {"PlacementGroup": {"Enabled": True}}),
        ("placed-by-name", {"PlacementGroup": {"Name": PLACEMENT}}),
    ],
)
def test_slurm_06_a_placement_group_is_said_except_of_a_block(
    tmp_path: Path, name: str, placed: Json | None
) -> None:
    assert resource(of(tmp_path, name)).get("Networking") == placed


@each_row("name", PROFILES)
def test_slurm_04_the_type_is_always_said(tmp_path: Path, name: str) -> None:
    queues = of(tmp_path, name)["Scheduling"]["SlurmQueues"]
    assert all(one["InstanceType"] for queue in queues for one in queue["ComputeResources"])


@each_row("name", PROFILES)
def test_slurm_03_no_gpu_check_runs_before_jobs(tmp_path: Path, name: str) -> None:
    queues = of(tmp_path, name)["Scheduling"]["SlurmQueues"]
    assert [queue["HealthChecks"] for queue in queues] == [{"Gpu": {"Enabled": False}}] * len(queues)


def test_groups_of_a_partition_are_compute_resources_of_one_queue(tmp_path: Path) -> None:
    (queue,) = of(tmp_path, "two-groups-of-a-partition")["Scheduling"]["SlurmQueues"]
    assert queue["Name"] == "gpu"
    assert [one["Name"] for one in queue["ComputeResources"]] == ["train", "more"]


def test_a_file_system_that_can_be_made_is_and_no_security_group_is_wanted(tmp_path: Path) -> None:
    done = written(loaded(tmp_path, "linked"))
    (shared,) = done.configuration["SharedStorage"]
    settings = shared["FsxLustreSettings"]
    assert settings["DeploymentType"] == "PERSISTENT_2"
    (link,) = settings["DataRepositoryAssociations"]
    assert link["AutoImportPolicy"] == ["NEW", "DELETED"]
    assert done.unknown == ()
    assert "AdditionalSecurityGroups" not in done.configuration["HeadNode"]["Networking"]


def test_a_file_system_with_efa_is_mounted_by_its_id() -> None:
    (shared,) = built_in("p6-b200").configuration["SharedStorage"]
    assert shared["FsxLustreSettings"] == {"FileSystemId": "fs-replaceme00000001"}


def test_every_id_that_nobody_stated_is_reported_with_what_finds_it() -> None:
    done = built_in("p6-b200")
    reported = {one.placeholder: one for one in done.unknown}
    assert set(reported) == {"subnet-replaceme00000001", "fs-replaceme00000001", "sg-replaceme00000001"}
    assert "Values=10.0.0.0/17" in reported["subnet-replaceme00000001"].find
    assert "LustreFileSystemId" in reported["fs-replaceme00000001"].find
    assert all(one.find.endswith("--region us-west-2") for one in done.unknown)


def test_ids_that_are_given_leave_nothing_to_fill_in() -> None:
    done = built_in(
        "p6-b200",
        KnownIds(subnets={"primary": "subnet-1"}, file_systems={"lustre": "fs-1"}, security_group="sg-1"),
    )
    assert done.unknown == ()
    assert done.configuration["HeadNode"]["Networking"] == {
        "SubnetId": "subnet-1",
        "AdditionalSecurityGroups": ["sg-1"],
    }


def test_ids_of_a_data_profile_are_found_where_its_stack_publishes_them(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "extends: p6-b200-cluster\nname: mine\ncompute:\n  groups:\n"
        "    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}\n"
        "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 2}\n"
    )
    cluster = load_cluster(str(tmp_path / "mine.yaml"), further=OF_PARALLELCLUSTER)
    finds = [one.find for one in written(cluster).unknown]
    assert cluster.design is not None
    assert cluster.design.attachment is not None
    prefix = cluster.design.attachment.prefix
    assert f"ssm get-parameter --name {prefix}/subnet-primary-id" in finds[0]
    assert "--stack-name p6-b200-data" in finds[1]
    assert f"{prefix}/node-security-group-id" in finds[2]


def test_settings_that_parallelcluster_denies_are_translated(tmp_path: Path) -> None:
    file = of(tmp_path, "slurm-settings", KnownIds(actions="s3://my-bucket/pcluster/"))
    assert file["HeadNode"]["CustomActions"]["OnNodeConfigured"] == {
        "Script": "s3://my-bucket/pcluster/job_hooks.sh",
        "Args": ["prolog=/opt/site/prolog.sh", "epilog=/opt/site/epilog.sh"],
    }
    assert file["HeadNode"]["Iam"]["S3Access"] == [{"BucketName": "my-bucket"}]
    assert file["Scheduling"]["SlurmSettings"]["CustomSlurmSettings"] == [{"MinJobAge": "60"}]
    (queue,) = file["Scheduling"]["SlurmQueues"]
    assert (queue["Name"], queue["JobExclusiveAllocation"]) == ("whole", True)
    assert queue["CustomSlurmSettings"] == {"MaxTime": "1-00:00:00"}
    machines = resource(file)
    assert machines["CustomSlurmSettings"] == {"Features": "b200"}
    assert (machines["StaticNodePriority"], machines["DynamicNodePriority"]) == (10, 10)


def test_nodes_that_come_with_jobs_go_after_whole_minutes(tmp_path: Path) -> None:
    file = of(tmp_path, "slurm-settings")
    assert (resource(file)["MinCount"], resource(file)["MaxCount"]) == (0, 2)
    assert file["Scheduling"]["SlurmSettings"]["ScaledownIdletime"] == 2  # of 90 s
    assert "ScaledownIdletime" not in of(tmp_path, "block")["Scheduling"]["SlurmSettings"]


def test_a_disposable_cluster_leaves_nothing_behind(tmp_path: Path) -> None:
    def policies(disposable: str) -> set[str]:
        (tmp_path / "mine.yaml").write_text(
            f"extends: p6-b200\nname: mine\ndisposable: {disposable}\n"
            "storage: {lustre: {efa: false, data_repositories: []}}\n"
        )
        file = written(load_cluster(str(tmp_path / "mine.yaml"))).configuration
        shared = file["SharedStorage"][0]["FsxLustreSettings"]
        return {shared["DeletionPolicy"], file["Monitoring"]["Logs"]["CloudWatch"]["DeletionPolicy"]}

    assert (policies("true"), policies("false")) == ({"Delete"}, {"Retain"})


def _keys(value: Any, at: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if at.endswith("CustomSlurmSettings"):
                key = "NAME"
            yield from _keys(inner, f"{at}.{key}" if at else key)
    elif isinstance(value, list) and any(isinstance(inner, dict) for inner in value):
        for inner in value:
            yield from _keys(inner, at)
    else:
        yield at


def test_the_table_of_translations_has_every_key_of_every_file_and_no_other(tmp_path: Path) -> None:
    by_group = "arn:aws:resource-groups:us-west-2:123456789012:group/reserved"
    (tmp_path / "more.yaml").write_text(
        "extends: p6-b200\nname: more\norchestrator: {kind: pcs}\ncompute:\n  groups:\n"
        "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 2,\n"
        f"       capacity: {{kind: odcr, resource_group_arn: '{by_group}'}}}}\n"
        f"storage: {{lustre: {{efa: false, data_repositories: [], key_arn: '{KEY}'}}}}\n"
    )
    (tmp_path / "head.yaml").write_text(
        "extends: p6-b200\nname: head\ncompute:\n  groups:\n"
        "    - {name: head, role: controller, instance_type: m5.4xlarge, count: 1, threads_per_core: 1}\n"
        "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 2}\n"
    )
    files = [of(tmp_path, name) for name in PROFILES]
    files += [
        dict(written(load_cluster(str(tmp_path / f"{name}.yaml"))).configuration) for name in ("more", "head")
    ]
    files.append(dict(built_in("p6-b200", KnownIds(image="ami-0123456789abcdef0")).configuration))
    assert {key for file in files for key in _keys(file)} == {row.configuration_key for row in TRANSLATIONS}


def test_the_table_of_translations_names_keys_that_profiles_have() -> None:
    named = {row.profile_key.partition(".")[0] for row in TRANSLATIONS if row.profile_key != "-"}
    assert named <= set(Profile.model_fields)
