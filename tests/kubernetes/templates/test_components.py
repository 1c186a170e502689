"""Components of a Kubernetes cluster in a stack: roles of pods, taints of nodes, and Karpenter."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Synthesized

pytestmark = pytest.mark.synth

SYSTEM = {"name": "tools", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
PROFILES: dict[str, dict[str, Any]] = {
    "launched": {
        "extends": "p6-b200",
        "name": "launched",
        "availability_zone_id": "usw2-az1",
        "network": {"kind": "new", "vpc_cidr": "10.0.0.0/16", "secondary_zones": ["usw2-az2"]},
        "orchestrator": {"kind": "eks", "karpenter": {"groups": [{"name": "train"}]}},
        "compute": {
            "groups": [
                SYSTEM,
                {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 16},
            ]
        },
        "storage": {
            "home": {"kind": "new", "users": 10},
            "s3_express": {},
            "mountpoints": [{"name": "fast", "bucket": "s3-express"}],
        },
    },
    "domains": {
        "extends": "p6e-gb200",
        "name": "domains",
        "orchestrator": {"kind": "eks"},
        "compute": {
            "groups": [
                {**SYSTEM, "instance_type": "m6i.4xlarge"},
                {
                    "name": "train",
                    "role": "compute",
                    "instance_type": "p6e-gb200.36xlarge",
                    "count": 17,
                    "capacity": {
                        "kind": "capacity-block",
                        "reservation_id": "cr-0a1b2c3d4e5f60718",
                        "ultraserver": "u-p6e-gb200x72",
                    },
                },
            ]
        },
    },
}


@pytest.fixture(scope="module")
def stack_of(
    synthesized: Callable[[str], Synthesized], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Synthesized]:
    """The stack of one of PROFILES."""
    folder: Path = tmp_path_factory.mktemp("components")
    for name, profile in PROFILES.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(profile), encoding="utf-8")
    return lambda name: synthesized(str(folder / f"{name}.yaml"))


def group_of(stack: Synthesized, name: str) -> dict[str, Any]:
    """The node group of a group of the profile."""
    found = (group["Properties"] for group in stack.resources("AWS::EKS::Nodegroup").values())
    return next(group for group in found if group["Labels"]["ultracluster/group"] == name)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", PROFILES)
def test_no_mark_is_left_for_anybody_to_fill(name: str, stack_of: Callable[[str], Synthesized]) -> None:
    assert "${ultracluster:" not in json.dumps(stack_of(name).template)


def test_a_group_of_karpenter_has_no_node_group_and_the_role_of_those_that_have(
    stack_of: Callable[[str], Synthesized],
) -> None:
    stack = stack_of("launched")
    (group,) = stack.resources("AWS::EKS::Nodegroup").values()
    (role,) = stack.only("AWS::IAM::InstanceProfile")["Roles"]
    assert group["Properties"]["NodeRole"] == {"Fn::GetAtt": [role["Ref"], "Arn"]}
    assert stack.only("AWS::SQS::Queue")["QueueName"] == "launched-karpenter"


def test_the_controllers_policy_is_one_that_a_role_takes(stack_of: Callable[[str], Synthesized]) -> None:
    roles = stack_of("launched").resources("AWS::IAM::Role").values()
    (karpenter,) = [
        role["Properties"]
        for role in roles
        if str(role["Properties"].get("Description")).endswith("/karpenter")
    ]
    (inline,) = karpenter["Policies"]
    text = json.dumps(inline["PolicyDocument"], separators=(",", ":"))
    # all inline policies of a role together (IAM/latest/UserGuide/reference_iam-quotas.html)
    assert len(text) < 10_240
    passed = [one for one in inline["PolicyDocument"]["Statement"] if one["Action"] == ["iam:PassRole"]]
    assert [list(one["Resource"]) for one in passed] == [["Fn::GetAtt"]]


def test_every_role_of_pods_is_there_before_its_add_on(stack_of: Callable[[str], Synthesized]) -> None:
    stack = stack_of("launched")
    accounts = {
        one["Properties"]["ServiceAccount"]: key
        for key, one in stack.resources("AWS::EKS::PodIdentityAssociation").items()
    }
    for addon, account in (
        ("aws-fsx-csi-driver", "fsx-csi-controller-sa"),
        ("aws-mountpoint-s3-csi-driver", "s3-csi-driver-sa"),
    ):
        (resource,) = [
            one
            for one in stack.resources("AWS::EKS::Addon").values()
            if one["Properties"]["AddonName"] == addon
        ]
        assert accounts[account] in resource["DependsOn"]


def test_nodes_of_domains_mask_imex_and_wait_for_their_drivers(
    stack_of: Callable[[str], Synthesized],
) -> None:
    stack = stack_of("domains")
    group = group_of(stack, "train")
    assert group["Labels"]["ultracluster/gpu-devices"] == "dra"
    taints = {taint["Key"]: taint["Effect"] for taint in group["Taints"]}
    assert taints == {"nvidia.com/gpu": "NO_SCHEDULE", "fsx.csi.aws.com/agent-not-ready": "NO_EXECUTE"}
    assert [taint["Key"] for taint in group_of(stack, "tools").get("Taints", [])] == []
    masking = [
        key
        for key, template in stack.resources("AWS::EC2::LaunchTemplate").items()
        if "systemctl mask nvidia-imex.service" in user_data(template)
    ]
    assert len(masking) == 1


def user_data(template: dict[str, Any]) -> str:
    """The text of a launch template's user data, with tokens left out."""
    data = template["Properties"]["LaunchTemplateData"].get("UserData", "")
    if isinstance(data, dict) and "Fn::Base64" in data:
        data = data["Fn::Base64"]
        if isinstance(data, dict):
            return "".join(part for part in data["Fn::Join"][1] if isinstance(part, str))
        return str(data)
    return base64.b64decode(data).decode() if data else ""
