"""What the storage constructs render lives on the embedded cloud, from creation to deletion."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack
from constructs import Construct

from scripts.cloud.local import LocalCloud
from tests.cloud.custom.custom_functions import reason
from tests.stack.library import library_set
from tests.stack.library.support import REGION, synthesize
from ultracluster.network import ClusterNetwork, NodeSecurityGroup
from ultracluster.retention import Retention
from ultracluster.storage import (
    DirectoryBucket,
    DirectoryBucketProps,
    ImportTask,
    ImportTaskProps,
    LustreFileSystem,
    LustreOperations,
    LustreOperationsProps,
    OpenZfsFileSystem,
    RootSquash,
    RootSquashProps,
)

pytestmark = pytest.mark.synth

Template = dict[str, Any]
Network = tuple[ClusterNetwork, NodeSecurityGroup]


def rendered(add: Callable[[Construct, Network], object], retention: Retention) -> Template:
    def build(stack: Stack) -> None:
        network = library_set.add_network(Construct(stack, "Network"), retention)
        add(Construct(stack, "Storage"), network)

    template: Template = synthesize(build).template
    # the rule of the bootstrap version asks a parameter of an account that is not bootstrapped here
    return {"Resources": template["Resources"]}


def lustre(
    retention: Retention, *, gid: int = 1000, paths: tuple[str, ...] = ("datasets",), operations: bool = True
) -> Template:
    def add(scope: Construct, network: Network) -> None:
        file_system = library_set.add_storage(scope, *network, retention)
        if operations:
            add_operations(scope, file_system, gid, paths, keep=retention is Retention.RETAIN)

    return rendered(add, retention)


def add_operations(
    scope: Construct, file_system: LustreFileSystem, gid: int, paths: tuple[str, ...], *, keep: bool
) -> None:
    system = file_system.file_system_id
    props = LustreOperationsProps(name="demo", file_system_ids=[system], log_retention_days=30)
    function = LustreOperations(scope, "operations", props).function_arn
    squash = RootSquashProps(function_arn=function, file_system_id=system, gid=gid, keep_on_delete=keep)
    RootSquash(scope, "squash", squash)
    if paths:
        buckets = [scope.node.find_child(name) for name in paths]
        sources = [f"s3://{bucket.bucket_name}/{bucket.node.id}" for bucket in buckets]  # type: ignore[attr-defined]  # data buckets
        links = list(file_system.links.values())
        task = ImportTaskProps(function_arn=function, file_system_id=system, paths=sources, links=links)
        ImportTask(scope, "import", task)


def deploy(cloud: LocalCloud, template: Template, name: str = "demo") -> Any:
    return cloud.deploy(REGION, name, json.dumps(template))


def failures(stack: Any) -> list[tuple[str, str]]:
    return [(e.logical_id, e.reason) for e in stack.events if e.status.endswith("FAILED")]


def tasks(cloud: LocalCloud) -> list[str]:
    found = cloud.client("fsx", REGION).describe_data_repository_tasks()["DataRepositoryTasks"]
    return [task["Lifecycle"] for task in found]


def squash(cloud: LocalCloud) -> str:
    (system,) = cloud.client("fsx", REGION).describe_file_systems()["FileSystems"]
    found: str = system["LustreConfiguration"]["RootSquashConfiguration"]["RootSquash"]
    return found


@pytest.mark.sample(1)
@pytest.mark.parametrize("retention", [Retention.RETAIN, Retention.DISPOSABLE])
def test_storage_17_a_stack_with_a_running_import_is_complete_and_can_be_deleted(
    local: LocalCloud, retention: Retention
) -> None:
    stack = deploy(local, lustre(retention))
    assert stack.status == "CREATE_COMPLETE", failures(stack)
    assert tasks(local) == ["PENDING"]
    assert squash(local) == "65534:1000"
    deploy(local, lustre(retention, gid=2000, paths=("datasets", "checkpoints")))
    assert stack.status == "UPDATE_COMPLETE", failures(stack)
    assert squash(local) == "65534:2000"
    assert tasks(local)[0] == "CANCELED"
    local.backend(REGION).delete(stack)
    assert stack.status == "DELETE_COMPLETE", failures(stack)
    assert "EXECUTING" not in tasks(local)
    left = local.client("fsx", REGION).describe_file_systems()["FileSystems"]
    assert len(left) == (1 if retention is Retention.RETAIN else 0)
    if left:
        assert squash(local) == "65534:2000", "whoever mounts it after its stack is root"
    assert not local.client("lambda", REGION).list_functions()["Functions"]
    groups = local.client("logs", REGION).describe_log_groups()["logGroups"]
    assert not [group for group in groups if "lustre-operations" in group["logGroupName"]]


@pytest.mark.long
def test_without_its_custom_resource_a_running_import_would_keep_the_file_system(local: LocalCloud) -> None:
    stack = deploy(local, lustre(Retention.DISPOSABLE, operations=False))
    fsx = local.client("fsx", REGION)
    (system,) = fsx.describe_file_systems()["FileSystems"]
    request = {"Type": "IMPORT_METADATA_FROM_REPOSITORY", "Report": {"Enabled": False}}
    fsx.create_data_repository_task(FileSystemId=system["FileSystemId"], **request)
    local.backend(REGION).delete(stack)
    assert stack.status == "DELETE_FAILED"
    assert any("data repository task" in why for _, why in failures(stack))


@pytest.mark.long
@pytest.mark.parametrize(
    ("retention", "left"), [(Retention.RETAIN, "65534:1000"), (Retention.DISPOSABLE, "0:0")]
)
def test_operations_that_are_taken_out_leave_a_file_system_that_is_kept_squashed(
    local: LocalCloud, retention: Retention, left: str
) -> None:
    deploy(local, lustre(retention))
    stack = deploy(local, lustre(retention, operations=False))
    assert stack.status == "UPDATE_COMPLETE", failures(stack)
    assert squash(local) == left
    assert tasks(local) == ["CANCELED"]


def test_a_first_deployment_that_fails_behind_them_leaves_nothing(local: LocalCloud) -> None:
    template = lustre(Retention.RETAIN)
    custom = [k for k, v in template["Resources"].items() if v["Type"].startswith("Custom::")]
    template["Resources"]["Late"] = {
        "Type": "AWS::EC2::Subnet",
        "DependsOn": custom,
        "Properties": {"VpcId": "vpc-0123456789abcdef0", "CidrBlock": "10.0.0.0/24"},
    }
    stack = deploy(local, template)
    assert stack.status == "ROLLBACK_COMPLETE", failures(stack)
    assert local.client("fsx", REGION).describe_file_systems()["FileSystems"] == []


@pytest.mark.long
def test_a_root_squash_that_the_service_refuses_fails_its_stack_in_words(local: LocalCloud) -> None:
    template = lustre(Retention.DISPOSABLE, paths=())
    (wrong,) = [v for v in template["Resources"].values() if v["Type"] == "Custom::LustreRootSquash"]
    wrong["Properties"]["RootSquash"] = "0:5"
    stack = deploy(local, template)
    assert stack.status == "ROLLBACK_COMPLETE"
    (logical_id,) = [k for k, v in template["Resources"].items() if v is wrong]
    assert "both must be 0, which turns it off" in reason(stack, "CREATE_FAILED", logical_id)


def home(retention: Retention, **changes: Any) -> Template:
    def add(scope: Construct, network: Network) -> None:
        props = replace(library_set.home_props(*network, retention), **changes)
        OpenZfsFileSystem(scope, "home", props)
        DirectoryBucket(
            scope, "cache", DirectoryBucketProps(name="cache", zone_id="usw2-az3", retention=retention)
        )

    return rendered(add, retention)


@pytest.mark.sample(1)
@pytest.mark.parametrize("retention", [Retention.RETAIN, Retention.DISPOSABLE])
def test_a_home_file_system_and_a_directory_bucket_live(local: LocalCloud, retention: Retention) -> None:
    fsx = local.client("fsx", REGION)
    stack = deploy(local, home(retention))
    assert stack.status == "CREATE_COMPLETE", failures(stack)
    (system,) = fsx.describe_file_systems()["FileSystems"]
    assert system["DNSName"] == f"{system['FileSystemId']}.fsx.{REGION}.amazonaws.com"
    root, volume = fsx.describe_volumes()["Volumes"]
    assert root["VolumeId"] == system["OpenZFSConfiguration"]["RootVolumeId"]
    paths = [v["OpenZFSConfiguration"]["VolumePath"] for v in (root, volume)]
    assert paths == ["/fsx", "/fsx/home"]
    quotas, more = {1001: 100, 1003: 10}, 1280
    deploy(local, home(retention, user_quotas_gib=quotas, capacity_gib=more, throughput_mbps=320))
    assert stack.status == "UPDATE_COMPLETE", failures(stack)
    (after,) = fsx.describe_file_systems()["FileSystems"]
    assert (after["FileSystemId"], after["StorageCapacity"]) == (system["FileSystemId"], more)
    _, volume = fsx.describe_volumes()["Volumes"]
    reported = {
        q["Id"]: q["StorageCapacityQuotaGiB"] for q in volume["OpenZFSConfiguration"]["UserAndGroupQuotas"]
    }
    assert reported == quotas
    local.backend(REGION).delete(stack)
    assert stack.status == "DELETE_COMPLETE", failures(stack)
    kept = 1 if retention is Retention.RETAIN else 0
    assert len(fsx.describe_file_systems()["FileSystems"]) == kept
    buckets = local.client("s3", REGION).list_directory_buckets()["Buckets"]
    assert len(buckets) == kept


@pytest.mark.long
def test_a_quota_of_the_root_volume_would_make_another_file_system(local: LocalCloud) -> None:
    fsx = local.client("fsx", REGION)
    template = home(Retention.RETAIN)
    stack = deploy(local, template)
    (system,) = [v for v in template["Resources"].values() if v["Type"] == "AWS::FSx::FileSystem"]
    root = system["Properties"]["OpenZFSConfiguration"]["RootVolumeConfiguration"]
    root["UserAndGroupQuotas"] = [{"Type": "USER", "Id": 1001, "StorageCapacityQuotaGiB": 100}]
    deploy(local, template)
    assert stack.status == "UPDATE_COMPLETE", failures(stack)
    assert len(fsx.describe_file_systems()["FileSystems"]) == 2
