"""Faults planted into a PCS cluster and an EFA template: stock linters miss them, our rules tell of each."""

from __future__ import annotations

from typing import Any

import pytest

from config.catalog import catalog
from scripts.cloud.validation import Problem, Sibling, problems
from tests.rules.planting import Data, launch_data
from tests.stack.library.support import lint_findings

REGION = "us-west-2"
CLUSTER, GROUP = "AWS::PCS::Cluster", "AWS::PCS::ComputeNodeGroup"
ROLE, PROFILE, TEMPLATE = "AWS::IAM::Role", "AWS::IAM::InstanceProfile", "AWS::EC2::LaunchTemplate"
PROFILE_ARN = "arn:aws:iam::123456789012:instance-profile/nodes"
TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
    ],
}
B200 = catalog().instances["p6-b200.48xlarge"]


def pcs_stack() -> dict[str, Data]:
    """A cluster and a node group that PCS takes."""
    return {
        "Role": {"Type": ROLE, "Properties": {"RoleName": "AWSPCS-nodes", "AssumeRolePolicyDocument": TRUST}},
        "Profile": {"Type": PROFILE, "Properties": {"Roles": ["AWSPCS-nodes"]}},
        "Cluster": {
            "Type": CLUSTER,
            "Properties": {
                "Name": "train",
                "Size": "SMALL",
                "Scheduler": {"Type": "SLURM", "Version": "25.11"},
                "Networking": {"SubnetIds": ["subnet-12345678"], "SecurityGroupIds": ["sg-12345678"]},
                "SlurmConfiguration": {"Accounting": {"Mode": "STANDARD"}},
            },
        },
        "Group": {
            "Type": GROUP,
            "Properties": {
                "ClusterId": "pcs_0123456789",
                "Name": "train",
                "SubnetIds": ["subnet-12345678"],
                "IamInstanceProfileArn": PROFILE_ARN,
                "InstanceConfigs": [{"InstanceType": B200.name}],
                "CustomLaunchTemplate": {"TemplateId": "lt-12345678", "Version": "1"},
                "ScalingConfiguration": {"MinInstanceCount": 0, "MaxInstanceCount": 4},
            },
        },
    }


SETTING = {"ParameterName": "Nonsense", "ParameterValue": "1"}
# resource, property, planted value, where it is told; None takes the property out
TWELVE: dict[str, tuple[str, str, Any, str]] = {
    "illegal cluster name": ("Cluster", "Name", "pcs_" + "t" * 41, "Name"),
    "unknown size": ("Cluster", "Size", "HUGE", "Size"),
    "unknown version": ("Cluster", "Scheduler", {"Type": "SLURM", "Version": "99.99"}, "Scheduler/Version"),
    "two subnets": (
        "Cluster",
        "Networking",
        {"SubnetIds": ["subnet-1234567a", "subnet-1234567b"], "SecurityGroupIds": ["sg-12345678"]},
        "Networking/SubnetIds",
    ),
    "unknown parameter": (
        "Cluster",
        "SlurmConfiguration",
        {"SlurmCustomSettings": [SETTING]},
        "SlurmConfiguration/SlurmCustomSettings/0/ParameterName",
    ),
    "purge after 0 days": (
        "Cluster",
        "SlurmConfiguration",
        {"Accounting": {"Mode": "STANDARD", "DefaultPurgeTimeInDays": 0}},
        "SlurmConfiguration/Accounting/DefaultPurgeTimeInDays",
    ),
    "group name of 26": ("Group", "Name", "g" * 26, "Name"),
    "profile without the marker": ("Role", "RoleName", "nodes", "IamInstanceProfileArn"),
    "mixed machines": (
        "Group",
        "InstanceConfigs",
        [{"InstanceType": "p6-b200.48xlarge"}, {"InstanceType": "p6e-gb200.36xlarge"}],
        "InstanceConfigs",
    ),
    "least above most": (
        "Group",
        "ScalingConfiguration",
        {"MinInstanceCount": 5, "MaxInstanceCount": 4},
        "ScalingConfiguration",
    ),
    "block without a template": ("Group", "CustomLaunchTemplate", None, "CustomLaunchTemplate"),
    "spot options on a block": (
        "Group",
        "SpotOptions",
        {"AllocationStrategy": "lowest-price"},
        "SpotOptions",
    ),
}


def plant(stack: dict[str, Data], *names: str) -> dict[str, Data]:
    for name in names:
        resource, key, value, _ = TWELVE[name]
        properties = stack[resource]["Properties"]
        if key == "RoleName":
            stack["Profile"]["Properties"]["Roles"] = [value]
        if "block" in name:
            properties["PurchaseOption"] = "CAPACITY_BLOCK"
        if value is None:
            del properties[key]
        elif key == "SlurmConfiguration":
            properties[key] = {**properties[key], **value}
        else:
            properties[key] = value
    return stack


def reported(stack: dict[str, Data]) -> list[tuple[str, Problem]]:
    """What is refused, resource by resource; a resource's id is its name."""
    siblings = {
        name: Sibling(r["Type"], r["Properties"], frozenset({name, *_names(r)})) for name, r in stack.items()
    }
    return [
        (name, problem)
        for name, r in stack.items()
        for problem in problems(
            REGION, r["Type"], r["Properties"], {n: s for n, s in siblings.items() if n != name}
        )
    ]


def _names(resource: Data) -> list[str]:
    known = {ROLE: resource["Properties"].get("RoleName"), PROFILE: PROFILE_ARN}
    return [str(known[resource["Type"]])] if resource["Type"] in known else []


def test_the_stack_without_faults_is_clean() -> None:
    assert reported(pcs_stack()) == []


@pytest.mark.parametrize("name", TWELVE)
def test_each_of_the_twelve_learns_where_it_stands(name: str) -> None:
    found = reported(plant(pcs_stack(), name))
    assert TWELVE[name][3] in {problem.path for _, problem in found}
    for _, problem in found:
        assert problem.message
        assert problem.source


def test_all_twelve_are_reported_at_once_where_the_linter_tells_of_one() -> None:
    stack = plant(pcs_stack(), *TWELVE)
    found = {problem.path for _, problem in reported(stack)}
    assert {where for _, _, _, where in TWELVE.values()} - found == set()
    linted = {finding.split(": ")[0].split(" ")[1] for finding in lint_findings({"Resources": stack})}
    planted = {f"Resources/{resource}/Properties/{where}" for resource, _, _, where in TWELVE.values()}
    assert len(TWELVE) == 12
    assert linted & planted == {"Resources/Cluster/Properties/Size"}


NODE_GROUP: Data = {
    "ClusterName": "train",
    "NodeRole": "arn:aws:iam::123456789012:role/nodes",
    "Subnets": ["subnet-12345678"],
    "LaunchTemplate": {"Id": "Template", "Version": "1"},
    "AmiType": "AL2023_x86_64_NVIDIA",
}


def efa_stack() -> dict[str, Data]:
    """A node group on EKS with the launch template of its type."""
    data = launch_data(B200, B200.layouts["ip-saving"])
    return {
        "Template": {"Type": TEMPLATE, "Properties": {"LaunchTemplateData": data}},
        "Nodes": {"Type": "AWS::EKS::Nodegroup", "Properties": dict(NODE_GROUP)},
    }


def efa_only_primary(data: Data, _: Data) -> None:
    data["NetworkInterfaces"][0]["InterfaceType"] = "efa-only"


def card_99(data: Data, _: Data) -> None:
    data["NetworkInterfaces"][1] |= {"NetworkCardIndex": 99, "DeviceIndex": 9}


def subnet(data: Data, _: Data) -> None:
    data["NetworkInterfaces"][0]["SubnetId"] = "subnet-12345678"


def instance_profile(data: Data, _: Data) -> None:
    data["IamInstanceProfile"] = {"Name": "nodes"}


def arm_image(_: Data, group: Data) -> None:
    group["AmiType"] = "AL2023_ARM_64_NVIDIA"


def disk(_: Data, group: Data) -> None:
    group["DiskSize"] = 100


def remote_access(_: Data, group: Data) -> None:
    group["RemoteAccess"] = {"Ec2SshKey": "me"}


def types_twice(_: Data, group: Data) -> None:
    group["InstanceTypes"] = [B200.name]


EFA_FAULTS = {
    efa_only_primary: "EFA002",
    card_99: "EFA002",
    subnet: "EKS001",
    instance_profile: "EKS001",
    arm_image: "EKS005",
    disk: "EKS002",
    remote_access: "EKS002",
    types_twice: "EKS003",
}


@pytest.mark.parametrize(("fault", "code"), EFA_FAULTS.items(), ids=lambda f: getattr(f, "__name__", f))
def test_each_planted_efa_fault_is_refused(fault: Any, code: str) -> None:
    stack = efa_stack()
    assert reported(stack) == []
    fault(stack["Template"]["Properties"]["LaunchTemplateData"], stack["Nodes"]["Properties"])
    assert code in {problem.code for _, problem in reported(stack)}


def test_all_planted_efa_faults_are_reported_at_once_where_the_linter_tells_of_none() -> None:
    stack = efa_stack()
    for fault in EFA_FAULTS:
        fault(stack["Template"]["Properties"]["LaunchTemplateData"], stack["Nodes"]["Properties"])
    found = reported(stack)
    assert {problem.code for _, problem in found} >= set(EFA_FAULTS.values())
    said = " ".join(problem.message for _, problem in found)
    for word in ("efa-only", "99", "SubnetId", "IamInstanceProfile"):
        assert word in said
    assert {problem.path for _, problem in found} >= {"DiskSize", "RemoteAccess", "InstanceTypes", "AmiType"}
    assert [f for f in lint_findings({"Resources": stack}) if f.startswith("E")] == []
