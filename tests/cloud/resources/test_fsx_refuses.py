"""What FSx of the embedded cloud refuses, as the service does."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from scripts.cloud.local import LocalCloud
from tests.cloud.lustre_place import PATHS, REGION, Place


class Systems:
    """FSx with one subnet and one bucket."""

    def __init__(self, cloud: LocalCloud) -> None:
        self.fsx = cloud.client("fsx", REGION)
        ec2 = cloud.client("ec2", REGION)
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        self.subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/20")["Subnet"]["SubnetId"]
        cloud.client("s3", REGION).create_bucket(Bucket="ultracluster-datasets")

    def lustre(self, kind: str = "PERSISTENT_2", above: dict[str, Any] | None = None, **more: Any) -> str:
        made = self.fsx.create_file_system(
            FileSystemType="LUSTRE",
            SubnetIds=[self.subnet],
            StorageCapacity=2400,
            LustreConfiguration={"DeploymentType": kind, **more},
            **(above or {}),
        )
        found: str = made["FileSystem"]["FileSystemId"]
        return found

    def openzfs(self, **settings: Any) -> str:
        made = self.fsx.create_file_system(
            FileSystemType="OPENZFS",
            SubnetIds=[self.subnet],
            StorageCapacity=1000,
            OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_2", "ThroughputCapacity": 160, **settings},
        )
        found: str = made["FileSystem"]["FileSystemId"]
        return found

    def describe(self, system: str) -> dict[str, Any]:
        (found,) = self.fsx.describe_file_systems(FileSystemIds=[system])["FileSystems"]
        return dict(found)

    def update(self, system: str, **lustre: Any) -> None:
        self.fsx.update_file_system(FileSystemId=system, LustreConfiguration=lustre)

    def link(self, system: str) -> None:
        self.fsx.create_data_repository_association(
            FileSystemId=system, FileSystemPath="/a", DataRepositoryPath=PATHS[0]
        )


@pytest.fixture(scope="module")
def systems(module_cloud: LocalCloud) -> Systems:
    return Systems(module_cloud)


@pytest.mark.parametrize(
    ("squash", "message"),
    [
        ({"RootSquash": "root:root"}, "does not have the format UID:GID"),
        ({"RootSquash": "0:1"}, "both must be 0"),
        ({"RootSquash": "4294967295:1"}, "must be 0 to 4294967294"),
        ({"RootSquash": "1:1", "NoSquashNids": ["10.0.0.1@tcp"] * 65}, "the maximum is 64"),
        ({"RootSquash": "1:1", "NoSquashNids": ["10.0.0.1-at-tcp"]}, "is not an address or a range"),
    ],
)
def test_a_root_squash_that_is_none_is_refused(
    systems: Systems, squash: dict[str, Any], message: str
) -> None:
    system = systems.lustre()
    with pytest.raises(ClientError, match=message):
        systems.update(system, RootSquashConfiguration=squash)
    with pytest.raises(ClientError, match=message):
        systems.lustre(RootSquashConfiguration=squash)


def test_root_squash_and_backups_rule_each_other_out(systems: Systems) -> None:
    squash = {"RootSquash": "1:1"}
    with_backups = systems.lustre(AutomaticBackupRetentionDays=7)
    with pytest.raises(ClientError, match="not supported with backups, which are on"):
        systems.update(with_backups, RootSquashConfiguration=squash)
    systems.update(with_backups, RootSquashConfiguration=squash, AutomaticBackupRetentionDays=0)
    squashed = systems.lustre(RootSquashConfiguration=squash)
    with pytest.raises(ClientError, match="turn it off first"):
        systems.update(squashed, AutomaticBackupRetentionDays=7)
    with pytest.raises(ClientError, match="turn it off first"):
        systems.fsx.create_backup(FileSystemId=squashed)


def test_an_update_takes_a_while_and_no_other_is_taken_meanwhile(systems: Systems) -> None:
    system = systems.lustre()
    systems.update(system, RootSquashConfiguration={"RootSquash": "1:1"})
    with pytest.raises(ClientError, match="is being updated"):
        systems.update(system, DataCompressionType="LZ4")
    seen = [systems.describe(system) for _ in range(3)]
    assert [s["AdministrativeActions"][0]["Status"] for s in seen] == ["PENDING", "IN_PROGRESS", "COMPLETED"]
    assert [s["Lifecycle"] for s in seen] == ["UPDATING", "UPDATING", "AVAILABLE"]
    assert ["RootSquashConfiguration" in s["LustreConfiguration"] for s in seen] == [False, False, True]
    systems.update(system, DataCompressionType="LZ4")


@pytest.mark.parametrize("kind", ["SCRATCH_1", "SCRATCH_2"])
def test_scratch_file_systems_have_no_backups(systems: Systems, kind: str) -> None:
    with pytest.raises(ClientError, match=f"{kind} does not support backups"):
        systems.lustre(kind, AutomaticBackupRetentionDays=7)
    with pytest.raises(ClientError, match=f"{kind} does not support backups"):
        systems.fsx.create_backup(FileSystemId=systems.lustre(kind))


def test_links_and_backups_rule_each_other_out(systems: Systems) -> None:
    with pytest.raises(ClientError, match="turn backups off"):
        systems.link(systems.lustre(AutomaticBackupRetentionDays=7))
    linked = systems.lustre()
    systems.link(linked)
    with pytest.raises(ClientError, match="with data repository associations does not support backups"):
        systems.update(linked, AutomaticBackupRetentionDays=7)
    with pytest.raises(ClientError, match="with data repository associations does not support backups"):
        systems.fsx.create_backup(FileSystemId=linked)
    systems.fsx.create_backup(FileSystemId=systems.lustre())


@pytest.mark.parametrize(
    ("kind", "above", "message"),
    [
        ("SCRATCH_1", {}, "a SCRATCH_1 file system does not support"),
        ("SCRATCH_2", {}, "Lustre 2.10 does not support"),
        ("PERSISTENT_2", {"StorageType": "INTELLIGENT_TIERING"}, "Intelligent-Tiering does not support"),
    ],
)
def test_a_kind_that_takes_no_links_is_not_linked(
    systems: Systems, kind: str, above: dict[str, Any], message: str
) -> None:
    with pytest.raises(ClientError, match=message):
        systems.link(systems.lustre(kind, above))


@pytest.mark.parametrize("path", [{}, {"FileSystemPath": "a"}], ids=["none", "no-slash"])
def test_a_link_states_its_path(systems: Systems, path: dict[str, str]) -> None:
    with pytest.raises(ClientError, match="FileSystemPath is required and must begin with a slash"):
        systems.fsx.create_data_repository_association(
            FileSystemId=systems.lustre(), DataRepositoryPath=PATHS[0], **path
        )


def test_what_fsx_chooses_follows_from_the_kind(systems: Systems) -> None:
    def chosen(kind: str, **more: Any) -> tuple[str, bool]:
        found = systems.describe(systems.lustre(kind, **more))
        return found["FileSystemTypeVersion"], found["LustreConfiguration"]["MountName"] == "fsx"

    assert chosen("SCRATCH_1") == ("2.10", True)
    assert chosen("PERSISTENT_1") == ("2.10", False)
    assert chosen("PERSISTENT_2") == ("2.12", False)
    assert chosen("PERSISTENT_2", MetadataConfiguration={"Mode": "AUTOMATIC"}) == ("2.15", False)
    with pytest.raises(ClientError, match=r"use 2\.12 or 2\.15"):
        systems.lustre(above={"FileSystemTypeVersion": "2.10"})


def test_one_task_runs_at_a_time_and_a_token_starts_one(local: LocalCloud) -> None:
    place = Place(local)
    request = {
        "Type": "IMPORT_METADATA_FROM_REPOSITORY",
        "FileSystemId": place.id,
        "Report": {"Enabled": False},
    }
    create = place.fsx.create_data_repository_task
    first = create(**request, ClientRequestToken="one")["DataRepositoryTask"]
    assert create(**request, ClientRequestToken="one")["DataRepositoryTask"]["TaskId"] == first["TaskId"]
    with pytest.raises(ClientError, match="IncompatibleParameterError"):
        create(**request, Paths=PATHS, ClientRequestToken="one")
    with pytest.raises(ClientError, match="DataRepositoryTaskExecuting"):
        create(**request)
    place.end_task(first["TaskId"])
    with pytest.raises(ClientError, match="DataRepositoryTaskEnded"):
        place.fsx.cancel_data_repository_task(TaskId=first["TaskId"])
    create(**request, Paths=["s3://elsewhere"])
    describe = place.fsx.describe_data_repository_tasks
    describe()
    failed = describe(Filters=[{"Name": "task-lifecycle", "Values": ["FAILED"]}])["DataRepositoryTasks"]
    assert failed[0]["FailureDetails"]["Message"] == "s3://elsewhere is not in an associated data repository"
    with pytest.raises(ClientError, match="requires a Path, a Format and a Scope"):
        create(**{**request, "Report": {"Enabled": True}})
    with pytest.raises(ClientError, match="DataRepositoryTaskNotFound"):
        place.fsx.cancel_data_repository_task(TaskId="task-0123456789abcdef0")


def test_a_file_system_without_links_has_no_tasks(systems: Systems) -> None:
    with pytest.raises(ClientError, match="does not have a data repository association"):
        systems.fsx.create_data_repository_task(
            Type="EXPORT_TO_REPOSITORY", FileSystemId=systems.lustre(), Report={"Enabled": False}
        )


def test_an_openzfs_file_system_has_the_throughput_of_its_kind_and_grows_by_a_tenth(systems: Systems) -> None:
    with pytest.raises(ClientError, match="64 of SINGLE_AZ_2 is not one of 160, 320"):
        systems.openzfs(ThroughputCapacity=64)
    with pytest.raises(ClientError, match="is required for MULTI_AZ_1, and not supported otherwise"):
        systems.openzfs(PreferredSubnetId=systems.subnet)
    system = systems.openzfs()
    update = systems.fsx.update_file_system
    with pytest.raises(ClientError, match="1099 is not at least 10 percent above 1000"):
        update(FileSystemId=system, StorageCapacity=1099)
    with pytest.raises(ClientError, match="100 of SINGLE_AZ_2 is not one of"):
        update(FileSystemId=system, OpenZFSConfiguration={"ThroughputCapacity": 100})
    update(FileSystemId=system, StorageCapacity=1100, OpenZFSConfiguration={"ThroughputCapacity": 320})
    assert systems.describe(system)["StorageCapacity"] == 1100
    with pytest.raises(ClientError, match="only Lustre file systems"):
        systems.link(system)


def test_an_openzfs_file_system_without_its_configuration_is_refused(systems: Systems) -> None:
    create = systems.fsx.create_file_system
    with pytest.raises(ClientError, match="OpenZFSConfiguration with DeploymentType and ThroughputCap"):
        create(FileSystemType="OPENZFS", SubnetIds=[systems.subnet], StorageCapacity=1000)


def test_volumes_go_with_their_file_system_only_where_the_request_says_so(systems: Systems) -> None:
    system = systems.openzfs()
    root = systems.describe(system)["OpenZFSConfiguration"]["RootVolumeId"]

    def volume(parent: str, name: str) -> str:
        made = systems.fsx.create_volume(
            VolumeType="OPENZFS", Name=name, OpenZFSConfiguration={"ParentVolumeId": parent}
        )["Volume"]
        return str(made["VolumeId"])

    home = volume(root, "home")
    with pytest.raises(ClientError, match="already has a volume /fsx/home"):
        volume(root, "home")
    volume(home, "alice")
    with pytest.raises(ClientError, match="is a root volume"):
        systems.fsx.delete_volume(VolumeId=root)
    with pytest.raises(ClientError, match="has child volumes: /fsx/home/alice"):
        systems.fsx.delete_volume(VolumeId=home)
    with pytest.raises(ClientError, match="has child volumes: /fsx/home, /fsx/home/alice"):
        systems.fsx.delete_file_system(FileSystemId=system)
    before = len(systems.fsx.describe_backups()["Backups"])
    children = ["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"]
    systems.fsx.delete_file_system(FileSystemId=system, OpenZFSConfiguration={"Options": children})
    assert len(systems.fsx.describe_backups()["Backups"]) == before + 1  # FSx takes a final one
    with pytest.raises(ClientError, match="VolumeNotFound"):
        systems.fsx.describe_volumes(VolumeIds=[home])
    skipped = {"SkipFinalBackup": True}
    systems.fsx.delete_file_system(FileSystemId=systems.openzfs(), OpenZFSConfiguration=skipped)
    assert len(systems.fsx.describe_backups()["Backups"]) == before + 1
