"""What preflight asks is what its policy allows, and nothing that changes anything."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.model import OperationModel

from config.profile.source.merge import Layered
from config.profile.source.reference import built_in_names
from scripts.cli.preflight.all_checks import checks_of, hold_against
from scripts.cli.preflight.asking import Shared
from scripts.cli.preflight.checks import UNLIKE, Check, policy_of, run
from tests.preflight.fake_cloud import ACCOUNT, NOW, REGION, RICH, Answer, FakeCloud, design_of, refusal
from tests.profile.built_in import accepted

BUILT_IN = [*((name, None) for name in built_in_names()), *accepted()]
ALL = [*BUILT_IN, *((name, None) for name in RICH)]
IDS = [f"{name}-{kind or 'own'}" for name, kind in ALL]

OTHERWISE = {
    # https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
    "s3:HeadBucket": "s3:ListBucket",
    # https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketEncryption.html
    "s3:GetBucketEncryption": "s3:GetEncryptionConfiguration",
}
"""Operations whose permission is called otherwise, by the Service Authorization Reference."""


def action_of(model: OperationModel) -> str:
    """By botocore's service model: its name for signatures is the prefix of permissions."""
    name = f"{model.service_model.signing_name}:{model.name}"
    return OTHERWISE.get(name, name)


def parameters(params: Any) -> dict[str, Any]:
    """Every parameter is there, with a value that leads on."""
    values = {"vpc-id": "vpc-12345678", "lustre-id": "fs-0123456789abcdef0"}
    known = {
        name: values.get(name.rpartition("/")[2], "subnet-11111111" if "/subnet-" in name else "28")
        for name in params["Names"]
    }
    return {"Parameters": [{"Name": name, "Value": value} for name, value in known.items()]}


def full() -> FakeCloud:
    """An account in which things are there, so that what comes after the first answer is asked as well."""
    arn = f"arn:aws:ec2:{REGION}:{ACCOUNT}:capacity-reservation/cr-0a1b2c3d4e5f60719"
    subnet = {"SubnetId": "subnet-11111111", "VpcId": "vpc-12345678", "CidrBlock": "10.0.0.0/17",
              "AvailabilityZoneId": "usw2-az2", "AvailableIpAddressCount": 3}  # fmt: skip
    reserved = {"State": "active", "InstanceType": "p6-b200.48xlarge", "AvailabilityZoneId": "usw2-az2",
                "TotalInstanceCount": 16, "AvailableInstanceCount": 0}  # fmt: skip
    answers: dict[str, Any] = {
        "cloudformation:DescribeStacks": refusal("ValidationError", "Stack with id mine does not exist"),
        "ssm:GetParameters": parameters,
        "ec2:DescribeSubnets": {"Subnets": [subnet]},
        "ec2:DescribeCapacityReservations": {
            "CapacityReservations": [
                {"CapacityReservationId": f"cr-0a1b2c3d4e5f6071{number}", **reserved} for number in (8, 9)
            ]
        },
        "resource-groups:ListGroupResources": {"Resources": [{"Identifier": {"ResourceArn": arn}}]},
        "sagemaker:DescribeTrainingPlan": {
            "TrainingPlanArn": f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:training-plan/pretrain",
            "TrainingPlanName": "pretrain", "Status": "Active", "TotalInstanceCount": 16,
        },
        "service-quotas:GetServiceQuota": refusal("NoSuchResourceException"),
        "service-quotas:GetAWSDefaultServiceQuota": {"Quota": {"QuotaCode": "L-417A185B", "Value": 1.0}},
        "kms:DescribeKey": {"KeyMetadata": {"KeyId": "1234abcd", "KeyState": "Enabled"}},
        "kms:GetKeyPolicy": {"Policy": json.dumps({"Statement": []})},
        "s3:GetBucketPolicy": refusal("NoSuchBucketPolicy"),
        "fsx:DescribeFileSystems": {
            "FileSystems": [
                {"FileSystemId": f"fs-0123456789abcdef{n}", "FileSystemType": kind, "Lifecycle": "AVAILABLE",
                 "SubnetIds": ["subnet-11111111"], "LustreConfiguration": {"MountName": "abcdefgh"}}
                for n, kind in enumerate(("LUSTRE", "OPENZFS"))
            ]
        },
    }  # fmt: skip
    return FakeCloud({name: _telling(reported) for name, reported in answers.items()})


def _telling(reported: Any) -> Answer:
    return reported if callable(reported) else lambda _: reported


@pytest.mark.sample(12)
@pytest.mark.parametrize(
    ("name", "kind", "make"),
    [*((name, kind, full) for name, kind in ALL), *((name, None, FakeCloud) for name in RICH)],
    ids=[*(f"{one}-things" for one in IDS), *(f"{name}-nothing" for name in RICH)],
)
def test_the_policy_allows_each_call_and_no_call_changes_anything(
    name: str, kind: str | None, make: Any, tmp_path: Path
) -> None:
    design = design_of(name, tmp_path, kind)
    policy = policy_of(checks_of(design, account=ACCOUNT, now=NOW))
    cloud = make()
    region = design.profile.region
    report = hold_against(design, Layered(), cloud.account(region), account=ACCOUNT, now=NOW)
    assert cloud.calls
    if make is full:
        assert [one for one in report.results if one.said.startswith(UNLIKE)] == []
    for model, params in cloud.calls:
        action = action_of(model)
        assert model.name.startswith(("Describe", "Get", "List", "Head")), model.name
        resources = list(allowed(policy, action))
        assert resources, f"{action} is not in the policy"
        for arn in named(model, params, region):
            assert any(fnmatch.fnmatchcase(arn, one) for one in resources), f"{action} of {arn}"


def allowed(policy: dict[str, Any], action: str) -> Iterator[str]:
    for statement in policy["Statement"]:
        assert statement["Effect"] == "Allow"
        if action in statement["Action"]:
            yield from statement["Resource"]


def named(model: OperationModel, params: dict[str, Any], region: str) -> Iterator[str]:
    """The ARNs of what a call is about, where its permission takes resources."""
    service, place = model.service_model.service_name, f"{region}:{ACCOUNT}"
    if service == "s3":
        yield f"arn:aws:s3:::{params['Bucket']}"
    elif service == "iam":
        yield params.get("PolicyArn") or f"arn:aws:iam::{ACCOUNT}:role/{_path(params['RoleName'])}"
    elif service == "kms" and "KeyId" in params:
        yield params["KeyId"]
    elif service == "secretsmanager":
        yield params["SecretId"]
    elif service == "sns":
        yield params["TopicArn"]
    elif service == "cloudformation":
        yield f"arn:aws:cloudformation:{place}:stack/{params['StackName']}/01234567-89ab"
    elif model.name == "DescribeTrainingPlan":
        yield f"arn:aws:sagemaker:{place}:training-plan/{params['TrainingPlanName']}"
    elif service == "eks":
        yield f"arn:aws:eks:{place}:cluster/{params['name']}"
    for name in params["Names"] if service == "ssm" else ():
        own = "" if name.startswith("/aws/service/") else ACCOUNT
        yield f"arn:aws:ssm:{region}:{own}:parameter{name}"


def _path(role: str) -> str:
    """The path of a service's own role has a name of the service in it, which its role's name has not."""
    services = {
        "AWSServiceRoleForAmazonFSx": "fsx",
        "AWSServiceRoleForAmazonEKS": "eks",
        "AWSServiceRoleForAmazonEKSNodegroup": "eks-nodegroup",
        "AWSServiceRoleForSageMakerHyperPod": "hyperpod.sagemaker",
        "AWSServiceRoleForPCS": "pcs",
        "AWSServiceRoleForEC2Spot": "spot",
    }
    return f"aws-service-role/{services[role]}.amazonaws.com/{role}" if role in services else role


def test_a_policy_fits_into_a_managed_policy(tmp_path: Path) -> None:
    """6,144 characters without white space (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html)."""
    for name, kind in ALL:
        policy = policy_of(checks_of(design_of(name, tmp_path, kind), now=NOW))
        assert len(json.dumps(policy, separators=(",", ":"))) <= 6144


def every_check(tmp_path: Path) -> list[Check]:
    return [
        check for name in RICH for check in checks_of(design_of(name, tmp_path), account=ACCOUNT, now=NOW)
    ]


@pytest.mark.parametrize("code", ["AccessDeniedException", "UnauthorizedOperation", "403"])
def test_whatever_is_denied_is_not_checked_and_names_a_permission_of_its_own(
    code: str, tmp_path: Path
) -> None:
    class Denied(dict[str, Answer]):
        def get(self, key: str, default: Any = None) -> Any:
            return lambda _: refusal(code)

    checks = every_check(tmp_path)
    results = run(checks, Shared(FakeCloud(Denied()).account()))
    for check, result in zip(checks, results, strict=True):
        if not check.permissions:
            continue
        assert result.state == "not checked", result
        assert result.said.removeprefix("needs ") in {one.action for one in check.permissions}, result
        assert result.found == ()


def test_one_denied_call_leaves_every_other_check_as_it_was(tmp_path: Path) -> None:
    design = design_of("existing", tmp_path)
    checks = checks_of(design, account=ACCOUNT, now=NOW)
    before = run(checks, Shared(full().account()))
    cloud = full()
    cloud.answers["ec2:DescribeSubnets"] = lambda _: refusal("UnauthorizedOperation")
    for check, was, now in zip(checks, before, run(checks, Shared(cloud.account())), strict=True):
        if "ec2:DescribeSubnets" in {one.action for one in check.permissions}:
            assert (now.state, now.said) == ("not checked", "needs ec2:DescribeSubnets")
        else:
            assert now == was


@pytest.mark.parametrize("code", ["ThrottlingException", "RequestLimitExceeded", "InternalFailure"])
def test_what_stays_throttled_or_broken_is_not_checked_and_says_why(code: str, tmp_path: Path) -> None:
    class Throttling(FakeCloud):
        def _answer(self, model: OperationModel, params: dict[str, Any]) -> Any:
            self.answers = {
                f"{model.service_model.service_name}:{model.name}": lambda _: refusal(code, "later")
            }
            return super()._answer(model, params)

    checks = [check for check in every_check(tmp_path) if check.permissions]
    for result in run(checks, Shared(Throttling().account())):
        assert (result.state, result.found) == ("not checked", ())
        assert f"{code}: later" in result.said


@pytest.mark.parametrize("code", ["NoSuchEntity", "ResourceNotFoundException", "404"])
def test_an_account_in_which_nothing_is_there_is_reported_as_such(code: str, tmp_path: Path) -> None:
    class Empty(FakeCloud):
        def _answer(self, model: OperationModel, params: dict[str, Any]) -> Any:
            self.answers = {f"{model.service_model.service_name}:{model.name}": lambda _: refusal(code)}
            return super()._answer(model, params)

    for check, result in zip(
        every_check(tmp_path), run(every_check(tmp_path), Shared(Empty().account())), strict=True
    ):
        assert result.state in ("ok", "wrong", "not checked"), check
