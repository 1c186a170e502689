"""The main chain, with the real CDK CLI: bootstrap, deploy, again, diff, change, refuse, destroy."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from tests.cloud.fixtures import Cdk, Stacks

pytestmark = [pytest.mark.cloud, pytest.mark.long]
Vary = Callable[[Callable[[dict[str, Any]], None]], Path]
STATEFUL = {"Bucket", "Group", "Egress", "Ingress", "Key", "Lustre", "Metrics", "Subnet", "Vpc"}


def deploy(cdk_cli: Cdk, folder: Path, *more: str) -> Any:
    return cdk_cli.run("deploy", "--app", os.fspath(folder), "--require-approval", "never", *more)


def test_the_whole_life_of_a_stack(cdk_cli: Cdk, assembly: Path, stacks: Stacks, vary: Vary) -> None:
    first = deploy(cdk_cli, assembly)
    assert first.status == 0, first.output
    assert "✅  fixture" in first.output
    assert stacks.status("fixture") == "CREATE_COMPLETE"
    everything_is_there(stacks)

    again = deploy(cdk_cli, assembly)
    assert again.status == 0, again.output
    assert "(no changes)" in again.output

    compared = cdk_cli.run("diff", "--app", os.fspath(assembly), "--fail")
    assert compared.status == 0, compared.output
    assert "There were no differences" in compared.output

    before = stacks.ids("fixture")
    bigger = vary(make_bigger)
    changed = deploy(cdk_cli, bigger)
    assert changed.status == 0, changed.output
    assert stacks.status("fixture") == "UPDATE_COMPLETE"
    assert stacks.ids("fixture") == before
    changes_are_there(stacks)

    refused = cdk_cli.run("destroy", "--app", os.fspath(bigger), "--force")
    assert refused.status == 1
    assert "cannot be deleted while TerminationProtection is enabled" in refused.output
    assert stacks.status("fixture") == "UPDATE_COMPLETE"

    stacks.api.update_termination_protection(StackName="fixture", EnableTerminationProtection=False)
    destroyed = cdk_cli.run("destroy", "--app", os.fspath(bigger), "--force")
    assert destroyed.status == 0, destroyed.output
    only_stateful_resources_are_left(stacks, before)


def everything_is_there(stacks: Stacks) -> None:
    sagemaker, fsx = stacks.client("sagemaker"), stacks.client("fsx")
    arns = [cluster["ClusterArn"] for cluster in sagemaker.list_clusters()["ClusterSummaries"]]
    assert stacks.outputs("fixture")["ClusterArn"] in arns
    cluster = sagemaker.describe_cluster(ClusterName="fixture")
    assert cluster["ClusterStatus"] == "InService"
    assert cluster["NodeRecovery"] == "Automatic"
    assert len(sagemaker.list_cluster_nodes(ClusterName="fixture")["ClusterNodeSummaries"]) == 3
    system_id = stacks.ids("fixture")["Lustre"]
    (system,) = fsx.describe_file_systems(FileSystemIds=[system_id])["FileSystems"]
    assert system["LustreConfiguration"]["EfaEnabled"]
    assert (system["StorageCapacity"], system["FileSystemTypeVersion"]) == (38400, "2.15")
    mount = cluster["InstanceGroups"][1]["InstanceStorageConfigs"][0]["FsxLustreConfig"]
    assert mount["DnsName"] == system["DNSName"]
    assert mount["MountName"] == system["LustreConfiguration"]["MountName"]
    links = fsx.describe_data_repository_associations(
        Filters=[{"Name": "file-system-id", "Values": [system_id]}]
    )["Associations"]
    assert [link["FileSystemPath"] for link in links] == ["/datasets"]
    assert "fixture" in [w["alias"] for w in stacks.client("amp").list_workspaces()["workspaces"]]
    key = stacks.outputs("fixture")["AssetKey"]
    assert key == "hyperpod-lifecycle/0123456789abcdef/on_init_complete.sh"
    staged = stacks.client("s3").get_object(Bucket="cdk-hnb659fds-assets-123456789012-us-east-1", Key=key)
    assert staged["Body"].read().startswith(b"#!/bin/bash")


def make_bigger(template: dict[str, Any]) -> None:
    resources = template["Resources"]
    resources["Cluster"]["Properties"]["InstanceGroups"][1]["InstanceCount"] = 4
    resources["Metrics"]["Properties"]["Alias"] = "renamed"
    resources["Lustre"]["Properties"]["StorageCapacity"] = 76800


def changes_are_there(stacks: Stacks) -> None:
    nodes = stacks.client("sagemaker").list_cluster_nodes(ClusterName="fixture")["ClusterNodeSummaries"]
    assert len(nodes) == 5
    assert "renamed" in [w["alias"] for w in stacks.client("amp").list_workspaces()["workspaces"]]
    system_id = stacks.ids("fixture")["Lustre"]
    (system,) = stacks.client("fsx").describe_file_systems(FileSystemIds=[system_id])["FileSystems"]
    assert system["StorageCapacity"] == 76800


def only_stateful_resources_are_left(stacks: Stacks, before: dict[str, str]) -> None:
    deleted = [s for s in stacks.api.list_stacks()["StackSummaries"] if s["StackName"] == "fixture"]
    assert [s["StackStatus"] for s in deleted] == ["DELETE_COMPLETE"]
    events = stacks.events(deleted[0]["StackId"])
    assert {who for who, what, _ in events if what == "DELETE_SKIPPED"} == STATEFUL
    fsx, ec2 = stacks.client("fsx"), stacks.client("ec2")
    assert fsx.describe_file_systems(FileSystemIds=[before["Lustre"]])["FileSystems"]
    assert ec2.describe_subnets(SubnetIds=[before["Subnet"]])["Subnets"]
    assert before["Bucket"] in [b["Name"] for b in stacks.client("s3").list_buckets()["Buckets"]]
    assert not ec2.describe_subnets(Filters=[{"Name": "subnet-id", "Values": [before["PublicSubnet"]]}])[
        "Subnets"
    ]
    clusters = stacks.client("sagemaker").list_clusters()["ClusterSummaries"]
    assert "fixture" not in [cluster["ClusterName"] for cluster in clusters]


@pytest.fixture
def clean(stacks: Stacks) -> Iterator[None]:
    """The stack of a deployment that failed is protected by the CLI all the same."""
    yield
    with contextlib.suppress(ClientError):
        stacks.api.update_termination_protection(StackName="fixture", EnableTerminationProtection=False)
    stacks.api.delete_stack(StackName="fixture")


def keep_only(template: dict[str, Any], *names: str) -> dict[str, Any]:
    template["Resources"] = {name: template["Resources"][name] for name in names}
    template.pop("Outputs", None)
    resources: dict[str, Any] = template["Resources"]
    return resources


def unknown_type(template: dict[str, Any]) -> None:
    keep_only(template, "Igw")["Wrong"] = {"Type": "AWS::Nothing::AtAll", "DependsOn": "Igw"}


def unknown_property(template: dict[str, Any]) -> None:
    keep_only(template, "Igw")["Igw"]["Properties"] = {"Colour": "green"}


@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (unknown_type, "AWS::Nothing::AtAll"),
        (unknown_property, "extraneous key [Colour]"),
    ],
)
def test_a_failing_deployment_ends_with_the_reason_and_status_1(
    cdk_cli: Cdk, vary: Vary, stacks: Stacks, edit: Callable[[dict[str, Any]], None], reason: str
) -> None:
    failed = deploy(cdk_cli, vary(edit))
    assert failed.status == 1
    assert reason in failed.output
    assert "<html" not in failed.output
    assert stacks.status("fixture") == "ROLLBACK_COMPLETE"


@pytest.mark.usefixtures("clean")
def test_a_missing_parameter_is_named_by_the_cli(cdk_cli: Cdk, vary: Vary) -> None:
    def edit(template: dict[str, Any]) -> None:
        keep_only(template, "Igw")
        shared = {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/no/such"}
        template["Parameters"]["Shared"] = shared

    failed = deploy(cdk_cli, vary(edit))
    assert failed.status == 1
    assert "/no/such" in failed.output
