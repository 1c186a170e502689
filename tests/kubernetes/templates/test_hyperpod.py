"""HyperPod with EKS in all its parts: what a profile asks for stands in the template, in order."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from config.cluster import load_cluster
from config.design.model import Design
from scripts.tools.fuzz.checks.templates import check_template
from tests.conftest import ROOT, Synthesized
from tests.slurm.hyperpod_permissions import permissions_of

pytestmark = pytest.mark.synth

PROFILES: dict[str, Any] = yaml.safe_load((ROOT / "tests/stack/hyperpod_eks_profiles.yaml").read_text())
Load = Callable[[str], tuple[Design, Synthesized]]
CLUSTER, ADDON = "AWS::SageMaker::Cluster", "AWS::EKS::Addon"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, synthesized: Callable[[str], Synthesized]) -> Load:
    """A row of the table as design and template."""
    folder = tmp_path_factory.mktemp("hyperpod-eks")

    def load(row: str) -> tuple[Design, Synthesized]:
        file = folder / f"{row}.yaml"
        if not file.exists():
            declared = {"extends": "p6-b200", "name": row, **PROFILES[row]}
            declared["orchestrator"] = {"kind": "hyperpod-eks", **declared["orchestrator"]}
            file.write_text(yaml.safe_dump(declared), encoding="utf-8")
        design = load_cluster(str(file)).design
        assert design is not None
        return design, synthesized(str(file))

    return load


def group_of(stack: Synthesized, name: str) -> dict[str, Any]:
    groups = stack.only(CLUSTER)["InstanceGroups"]
    (group,) = [g for g in groups if g["InstanceGroupName"] == name]
    return dict(group)


def addons(stack: Synthesized) -> dict[str, tuple[str, dict[str, Any]]]:
    """The add-ons by name, each with its logical id and its whole resource."""
    return {one["Properties"]["AddonName"]: (key, one) for key, one in stack.resources(ADDON).items()}


def everything_before(stack: Synthesized, logical_id: str) -> set[str]:
    """All resources that one comes after, directly or not."""
    found: set[str] = set()
    waiting = [logical_id]
    while waiting:
        resource = stack.template["Resources"][waiting.pop()]
        named = set(resource.get("DependsOn", ())) | references(resource.get("Properties"))
        new = (named & stack.template["Resources"].keys()) - found
        found |= new
        waiting += new
    return found


def references(value: Any) -> set[str]:
    if isinstance(value, list):
        return {name for item in value for name in references(item)}
    if not isinstance(value, dict):
        return set()
    if set(value) == {"Ref"}:
        return {value["Ref"]}
    if set(value) == {"Fn::GetAtt"}:
        return {value["Fn::GetAtt"][0]}
    return {name for item in value.values() for name in references(item)}


@pytest.mark.long
@pytest.mark.parametrize("row", PROFILES)
def test_the_template_is_one_that_the_linter_and_our_rules_take(row: str, made: Load) -> None:
    design, stack = made(row)
    assert [finding.observed for finding in check_template(design, stack.text)] == []


@pytest.mark.parametrize("row", PROFILES)
def test_the_role_may_do_what_the_profile_uses_and_nothing_more(row: str, made: Load) -> None:
    design, stack = made(row)
    (role,) = [one for key, one in stack.resources("AWS::IAM::Role").items() if "NodeRole" in key]
    assert not role["Properties"].keys() & {"ManagedPolicyArns", "Path"}
    (policy,) = role["Properties"]["Policies"]
    allowed = {s["Sid"]: set(s["Action"]) for s in policy["PolicyDocument"]["Statement"]}
    assert allowed == {one.statement: set(one.actions) for one in permissions_of(design)}
    assert "PodAddresses" in allowed


def test_groups_stand_by_name_with_labels_taints_release_and_spot(made: Load) -> None:
    _, stack = made("everything")
    groups = stack.only(CLUSTER)["InstanceGroups"]
    assert [group["InstanceGroupName"] for group in groups] == ["other-zone", "system", "train"]
    other, train = group_of(stack, "other-zone"), group_of(stack, "train")
    assert other["KubernetesConfig"]["Taints"] == [
        {"Key": "spot", "Effect": "NoSchedule"},
        {"Key": "team", "Value": "serving", "Effect": "NoExecute"},
    ]
    assert other["CapacityRequirements"] == {"Spot": {}}
    assert other["InstanceRequirements"] == {"InstanceTypes": ["ml.g6.4xlarge", "ml.g6.2xlarge"]}
    assert other["OverrideVpcConfig"]["Subnets"] != stack.only(CLUSTER)["VpcConfig"]["Subnets"]
    assert "OnStartDeepHealthChecks" not in other
    assert train["KubernetesConfig"]["Labels"]["team"] == "research"
    assert train["ImageReleaseVersion"] == "1.0.7"
    assert train["OnStartDeepHealthChecks"] == ["InstanceConnectivity", "InstanceStress"]
    assert not any("SlurmConfig" in group for group in groups)


def test_the_cluster_is_continuous_and_keeps_checkpoints_in_memory(made: Load) -> None:
    cluster = made("everything")[1].only(CLUSTER)
    assert cluster["NodeProvisioningMode"] == "Continuous"
    assert cluster["TieredStorageConfig"] == {"Mode": "Enable", "InstanceMemoryAllocationPercentage": 20}
    assert cluster["Orchestrator"].keys() == {"Eks"}
    assert group_of(made("everything")[1], "system")["MinInstanceCount"] == 2


def test_karpenter_has_its_role_and_groups_begin_with_none(made: Load) -> None:
    _, stack = made("karpenter")
    cluster = stack.only(CLUSTER)
    assert cluster["AutoScaling"] == {"Mode": "Enable", "AutoScalerType": "Karpenter"}
    (role,) = [key for key in stack.resources("AWS::IAM::Role") if "KarpenterRole" in key]
    assert cluster["ClusterRole"] == {"Fn::GetAtt": [role, "Arn"]}
    trust = stack.template["Resources"][role]["Properties"]["AssumeRolePolicyDocument"]["Statement"][0]
    assert trust["Principal"] == {"Service": "hyperpod.sagemaker.amazonaws.com"}
    burst = group_of(stack, "burst")
    assert burst["InstanceCount"] == 0
    assert "OnStartDeepHealthChecks" not in burst


def test_scripts_of_ones_own_take_the_place_of_ours(made: Load) -> None:
    train = group_of(made("customer")[1], "train")
    assert train["LifeCycleConfig"] == {
        "SourceS3Uri": "s3://my-scripts/hyperpod/v1/",
        "OnCreate": "on_create.sh",
    }
    assert train["ImageId"] == "ami-0123456789abcdef0"
    assert train["ScheduledUpdateConfig"]["ScheduleExpression"] == "cron(0 3 ? * SUN *)"
    assert made("customer")[1].only(CLUSTER)["NodeRecovery"] == "None"


def test_our_scripts_run_as_nodes_are_created_under_a_hash(made: Load) -> None:
    lifecycle = group_of(made("everything")[1], "train")["LifeCycleConfig"]
    plan = made("everything")[0].hyperpod_eks
    assert plan is not None
    assert plan.scripts is not None
    assert lifecycle["OnCreate"] == "on_create.sh"
    assert plan.scripts.content_hash in json.dumps(lifecycle["SourceS3Uri"])


def test_the_network_of_pods_comes_before_the_nodes_and_what_needs_nodes_after_them(made: Load) -> None:
    _, stack = made("everything")
    ((cluster, _),) = stack.resources(CLUSTER).items()
    before = everything_before(stack, cluster)
    addons_by_name = addons(stack)
    assert {name for name, (key, _) in addons_by_name.items() if key in before} == {
        "eks-pod-identity-agent", "kube-proxy", "vpc-cni",
    }  # fmt: skip
    late = {name for name, (key, _) in addons_by_name.items() if cluster in everything_before(stack, key)}
    assert late == addons_by_name.keys() - {"eks-pod-identity-agent", "kube-proxy", "vpc-cni"}


def test_operators_come_after_cert_manager_and_after_the_roles_of_their_pods(made: Load) -> None:
    _, stack = made("everything")
    addons_by_name = addons(stack)
    for name in ("amazon-sagemaker-hyperpod-training-operator", "amazon-sagemaker-hyperpod-inference"):
        assert addons_by_name["cert-manager"][0] in everything_before(stack, addons_by_name[name][0])
    associations = stack.resources("AWS::EKS::PodIdentityAssociation")
    before = everything_before(stack, addons_by_name["amazon-sagemaker-hyperpod-training-operator"][0])
    assert [key for key in associations if key in before and "training" in key]


def test_teams_come_after_task_governance_and_after_its_policy(made: Load) -> None:
    _, stack = made("everything")
    governance = addons(stack)["amazon-sagemaker-hyperpod-taskgovernance"][0]
    ((policy, one),) = stack.resources("AWS::SageMaker::ClusterSchedulerConfig").items()
    assert governance in everything_before(stack, policy)
    assert one["Properties"]["SchedulerConfig"] == {
        "FairShare": "Enabled",
        "IdleResourceSharing": "Enabled",
        "PriorityClasses": [{"Name": "serving", "Weight": 50}, {"Name": "training", "Weight": 90}],
    }
    quotas = stack.resources("AWS::SageMaker::ComputeQuota")
    assert all({governance, policy} <= everything_before(stack, key) for key in quotas)
    by_team = {q["Properties"]["ComputeQuotaTarget"]["TeamName"]: q["Properties"] for q in quotas.values()}
    assert by_team["research"]["ComputeQuotaConfig"] == {
        "ComputeQuotaResources": [{"InstanceType": "ml.p6-b200.48xlarge", "Count": 8}],
        "ResourceSharingConfig": {"Strategy": "LendAndBorrow", "BorrowLimit": 50},
        "PreemptTeamTasks": "LowerPriority",
    }
    assert by_team["serving"]["ComputeQuotaConfig"]["ResourceSharingConfig"] == {"Strategy": "Lend"}


def test_inference_is_reported_roles_bucket_and_cluster_that_are_there_before(made: Load) -> None:
    _, stack = made("everything")
    key, addon = addons(stack)["amazon-sagemaker-hyperpod-inference"]
    settings = json.dumps(addon["Properties"]["ConfigurationValues"])
    for name in ("executionRoleArn", "tlsCertificateS3Bucket", "hyperpodClusterArn", "jumpstartGatedModel"):
        assert name in settings
    assert "ultracluster:" not in settings
    before = everything_before(stack, key)
    roles = {name for name in stack.resources("AWS::IAM::Role") if "Inference" in name}
    assert len(roles) == 4
    assert roles | set(stack.resources("AWS::IAM::OIDCProvider")) <= before
    for name in roles:
        role = stack.template["Resources"][name]["Properties"]
        text, names = role["AssumeRolePolicyDocument"]["Fn::Sub"]
        assert names.keys() == {"Issuer", "Provider"}
        assert "${Issuer}:sub" in json.dumps(json.loads(text))
