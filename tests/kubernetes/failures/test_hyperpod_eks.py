"""Public failures of HyperPod on EKS: nodes that never joined, add-ons that hung, access that was lost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.catalog import catalog
from config.catalog.kubernetes.charts import charts
from config.catalog.kubernetes.hyperpod_eks import hyperpod_eks
from config.cluster import load_cluster
from config.design.kubernetes.hyperpod_parts import CHART, CHART_STEP
from config.design.kubernetes.plan import EksPlan
from config.design.kubernetes.steps import Release
from scripts.cloud.template.corrections import corrected
from scripts.cloud.template.effects import Effect
from tests.conftest import Synthesized
from tests.rules.planting import Check, errors

Stacks = Callable[..., Synthesized]
CLUSTER, ADDON = "AWS::SageMaker::Cluster", "AWS::EKS::Addon"
SYSTEM = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2, "min_count": 2}
TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 16}
BURST = {**TRAIN, "name": "burst", "count": 0}


def profile(*groups: dict[str, Any], **orchestrator: Any) -> dict[str, Any]:
    return {
        "extends": "p6-b200", "name": "mine", "compute": {"groups": [SYSTEM, *(groups or (TRAIN,))]},
        "orchestrator": {"kind": "hyperpod-eks", "provisioning": "continuous", **orchestrator},
    }  # fmt: skip


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, synthesized: Callable[[str], Synthesized]) -> Stacks:
    """The stack of a profile, each made once."""
    folder = tmp_path_factory.mktemp("hyperpod-eks")

    def made(*groups: dict[str, Any], **orchestrator: Any) -> Synthesized:
        text = yaml.safe_dump(profile(*groups, **orchestrator))
        file = folder / f"{abs(hash(text))}.yaml"
        file.write_text(text, encoding="utf-8")
        return synthesized(str(file))

    return made


def plan(tmp_path: Path, **orchestrator: Any) -> EksPlan:
    file = tmp_path / "my.yaml"
    file.write_text(yaml.safe_dump(profile(**orchestrator)), encoding="utf-8")
    design = load_cluster(str(file)).design
    assert design is not None
    assert design.eks is not None
    return design.eks


def addon(stack: Synthesized, name: str) -> dict[str, Any]:
    (found,) = [one for one in stack.resources(ADDON).values() if one["Properties"]["AddonName"] == name]
    return found


def chart_of(plan: EksPlan) -> Release:
    (release,) = [step for step in plan.contents.steps if step.name == CHART_STEP]
    assert isinstance(release, Release)
    return release


@pytest.mark.synth
def test_hyperpod_02_an_operators_identity_is_an_association_of_its_own_before_it(stack: Stacks) -> None:
    made = stack(training_operator={})
    operator = addon(made, "amazon-sagemaker-hyperpod-training-operator")
    assert "PodIdentityAssociations" not in operator["Properties"]
    associations = made.resources("AWS::EKS::PodIdentityAssociation")
    (own,) = [key for key in operator["DependsOn"] if key in associations]
    assert associations[own]["Properties"]["ServiceAccount"] == "hp-training-operator-controller-manager"


@pytest.mark.synth
@pytest.mark.parametrize(
    "action",
    [
        "ec2:AssignPrivateIpAddresses", "ec2:AttachNetworkInterface", "ec2:DescribeInstanceTypes",
        "ecr:BatchCheckLayerAvailability", "ecr:GetAuthorizationToken", "eks-auth:AssumeRoleForPodIdentity",
        "sagemaker:AddTags",
    ],
)  # fmt: skip
def test_hyperpod_19_nodes_may_do_what_becoming_ready_takes(action: str, stack: Stacks) -> None:
    (role,) = [role for key, role in stack().resources("AWS::IAM::Role").items() if "NodeRole" in key]
    (policy,) = role["Properties"]["Policies"]
    allowed = {one for s in policy["PolicyDocument"]["Statement"] for one in s["Action"]}
    assert action in allowed


def test_hyperpod_20_container_data_is_bound_over_its_place_and_never_half_copied(tmp_path: Path) -> None:
    design = load_cluster("p6-b200", orchestrator="hyperpod-eks").design
    assert design is not None
    assert design.hyperpod_eks is not None
    assert design.hyperpod_eks.scripts is not None
    library = design.hyperpod_eks.scripts.files["library.sh"]
    assert 'mount --bind "$from" "$place"' in library
    assert 'mv "$2.new" "$2"' in library  # whole or not at all
    # no setting of an older system is written
    assert not re.search(r"^\s*[^#\n]*(sed -i|config\.toml)", library, re.MULTILINE)


@pytest.mark.synth
def test_hyperpod_21_groups_labels_and_taints_stand_in_one_order_whatever_was_given(
    stack: Stacks,
) -> None:
    labels, taints = {"b": "1", "a": "2"}, [{"key": "b"}, {"key": "a"}]
    other = {**TRAIN, "labels": labels, "taints": taints}
    there = stack(other, BURST).only(CLUSTER)["InstanceGroups"]
    turned = {**TRAIN, "labels": dict(reversed(labels.items())), "taints": taints[::-1]}
    assert json.dumps(stack(BURST, turned).only(CLUSTER)["InstanceGroups"]) == json.dumps(there)
    assert [group["InstanceGroupName"] for group in there] == ["burst", "system", "train"]


@pytest.mark.synth
def test_hyperpod_21_a_group_that_karpenter_scales_states_no_nodes(stack: Stacks) -> None:
    groups = stack(BURST, autoscaling={"groups": ["burst"]}).only(CLUSTER)["InstanceGroups"]
    assert {g["InstanceGroupName"]: g["InstanceCount"] for g in groups} == {"burst": 0, "system": 2}


def test_hyperpod_27_the_agents_chart_is_reported_the_region_and_looks_at_no_node(tmp_path: Path) -> None:
    values = chart_of(plan(tmp_path)).values["health-monitoring-agent"]
    assert values["region"] == "us-west-2"
    assert "hmaimage" not in values


def test_hyperpod_27_every_region_of_hyperpod_has_an_image_or_is_refused(check: Check) -> None:
    with_clusters = {name for name, row in catalog().regions.items() if row.hyperpod}
    without = with_clusters - set(hyperpod_eks().health_agent.regions)
    assert without == {"ap-northeast-2", "ap-south-2"}
    for region in without:
        assert "HPE001" in errors(check(yaml.safe_dump(profile() | {"region": region})))


def test_hyperpod_28_the_agent_is_of_a_release_with_the_fix_and_recovery_can_be_off(
    tmp_path: Path,
) -> None:
    agent = chart_of(plan(tmp_path)).values["health-monitoring-agent"]
    assert agent["imageTag"] == "1.0.1892.0_1.0.424.0"
    off = chart_of(plan(tmp_path, node_recovery="none")).values
    assert off["job-auto-restart"] == {"enabled": False}


def test_hyperpod_29_the_chart_is_pinned_to_a_commit(tmp_path: Path) -> None:
    assert chart_of(plan(tmp_path)).chart == CHART
    assert re.fullmatch(r"[0-9a-f]{40}", charts()[CHART].commit or "")


def test_hyperpod_31_a_cluster_whose_groups_are_all_empty_is_refused(check: Check) -> None:
    empty = profile(BURST)
    empty["compute"]["groups"] = [BURST]
    assert "EKS030" in errors(check(yaml.safe_dump(empty)))
    assert "EKS030" not in errors(check(yaml.safe_dump(profile(BURST))))


@pytest.mark.synth
def test_hyperpod_32_inference_comes_with_role_bucket_issuer_and_load_balancer(stack: Stacks) -> None:
    made = stack(inference_operator={})
    settings = json.dumps(
        addon(made, "amazon-sagemaker-hyperpod-inference")["Properties"]["ConfigurationValues"]
    )
    for needed in ("executionRoleArn", "tlsCertificateS3Bucket", "hyperpodClusterArn", "roleArn"):
        assert needed in settings
    (issuer,) = made.resources("AWS::IAM::OIDCProvider").values()
    assert issuer["Properties"]["ClientIdList"] == ["sts.amazonaws.com"]
    installed = {one["Properties"]["AddonName"] for one in made.resources(ADDON).values()}
    needs = hyperpod_eks().addons["amazon-sagemaker-hyperpod-inference"].needs
    assert set(needs) <= installed


def test_hyperpod_33_a_jump_over_the_break_is_refused_and_a_step_beyond_it_is_not() -> None:
    def refused(old: str, new: str) -> bool:
        name = "amazon-sagemaker-hyperpod-taskgovernance"
        before, after = (
            {"AddonName": name, "AddonVersion": f"v{version}.0-eksbuild.1"} for version in (old, new)
        )
        return any(found.effect is Effect.REFUSED for found in corrected(ADDON, before, after))

    assert refused("1.3", "1.5")
    assert refused("1.3", "1.6")
    assert not refused("1.5", "1.6")


def test_hyperpod_33_no_second_kueue_stands_beside_task_governance(tmp_path: Path) -> None:
    steps = plan(tmp_path, task_governance={}).contents.steps
    assert "kueue" not in {step.chart for step in steps if isinstance(step, Release)}


@pytest.mark.synth
def test_hyperpod_35_autoscaling_and_its_role_come_together(stack: Stacks) -> None:
    scaled = stack(BURST, autoscaling={"groups": ["burst"]}).only(CLUSTER)
    assert {"AutoScaling", "ClusterRole"} <= scaled.keys()
    assert not {"AutoScaling", "ClusterRole"} & stack().only(CLUSTER).keys()


@pytest.mark.synth
def test_hyperpod_37_add_ons_that_need_nodes_come_after_the_cluster_of_nodes(stack: Stacks) -> None:
    made = stack(training_operator={})
    ((cluster, _),) = made.resources(CLUSTER).items()
    for name in ("coredns", "cert-manager"):
        assert cluster in addon(made, name)["DependsOn"]


def test_hyperpod_37_continuous_provisioning_without_a_least_count_is_reported(check: Check) -> None:
    result = check(yaml.safe_dump(profile({**TRAIN, "name": "a"})))
    assert "HPE007" not in {d.code for d in result.diagnostics}
    loose = profile()
    loose["compute"]["groups"] = [TRAIN]
    assert "HPE007" in {d.code for d in check(yaml.safe_dump(loose)).diagnostics}


@pytest.mark.synth
def test_hyperpod_38_nodes_join_by_access_entries_with_a_role_without_path(stack: Stacks) -> None:
    made = stack()
    access = made.only("AWS::EKS::Cluster")["AccessConfig"]
    assert access["AuthenticationMode"] == "API"
    (role,) = [one for key, one in made.resources("AWS::IAM::Role").items() if "NodeRole" in key]
    assert "Path" not in role["Properties"]
    entries = [one["Properties"].get("Type") for one in made.resources("AWS::EKS::AccessEntry").values()]
    assert "HYPERPOD_LINUX" not in entries  # HyperPod makes that one itself
