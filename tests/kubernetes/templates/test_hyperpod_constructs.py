"""HyperPod with EKS as a library: what a cluster refuses, and what its parts look like."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from aws_cdk import App, Stack

from tests.stack.library.support import synthesize
from ultracluster.kubernetes import (
    HyperPodEksCluster,
    HyperPodEksClusterProps,
    HyperPodTaskGovernance,
    HyperPodTaskGovernanceProps,
    TeamQuotaProps,
)
from ultracluster.kubernetes.load_balancer_policy import load_balancer_statements
from ultracluster.slurm import HyperPodGroup, KubernetesTaint

pytestmark = pytest.mark.synth

TRAIN = HyperPodGroup(name="train", node_type=None, instance_type="ml.p5.48xlarge", count=2)
PROPS = HyperPodEksClusterProps(
    cluster_name="mine",
    eks_cluster_arn="arn:aws:eks:us-west-2:123456789012:cluster/mine",
    subnet_ids=["subnet-0123456789abcdef0"],
    security_group_ids=["sg-0123456789abcdef0"],
    groups=[TRAIN],
    execution_role_arn="arn:aws:iam::123456789012:role/example",
    node_recovery="Automatic",
)
ROLE = "arn:aws:iam::123456789012:role/karpenter"
TAINT = KubernetesTaint(key="team", effect="NoSchedule")


@pytest.mark.parametrize(
    ("props", "message"),
    [
        (replace(PROPS, groups=[TRAIN, TRAIN]), "are not unique"),
        (
            replace(PROPS, groups=[replace(TRAIN, node_type="compute", partition="p")]),
            "node_type 'compute': pass None",
        ),
        (replace(PROPS, groups=[replace(TRAIN, min_count=1)]), "set continuous=True"),
        (replace(PROPS, autoscaling_role_arn=ROLE), "set True and 'Automatic'"),
        (
            replace(PROPS, autoscaling_role_arn=ROLE, continuous=True, node_recovery="None"),
            "set True and 'Automatic'",
        ),
        (replace(PROPS, tiered_memory_percent=10), "pass 20 to 100"),
        (
            replace(PROPS, groups=[replace(TRAIN, taints=[TAINT], deep_health_checks=["InstanceStress"])]),
            "set one of them",
        ),
        (
            replace(PROPS, groups=[replace(TRAIN, image_id="ami-0123456789abcdef0", image_release="1.0.7")]),
            "set one of them",
        ),
    ],
)  # fmt: skip
def test_what_the_service_would_refuse_is_refused(props: HyperPodEksClusterProps, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HyperPodEksCluster(Stack(App(), "stack"), "cluster", props)


def test_a_team_without_nodes_has_what_others_lend() -> None:
    team = TeamQuotaProps(
        team_name="guests", nodes={}, fair_share_weight=0, sharing="LendAndBorrow",
        borrow_limit_percent=100, preempt="Never",
    )  # fmt: skip
    props = HyperPodTaskGovernanceProps(
        name="mine",
        cluster_arn="arn:aws:sagemaker:us-west-2:123456789012:cluster/abcdefghijkl",
        fair_share=False,
        idle_resource_sharing=False,
        teams=[team],
    )
    made = synthesize(lambda stack: HyperPodTaskGovernance(stack, "governance", props))
    (quota,) = made.of_type("AWS::SageMaker::ComputeQuota").values()
    assert quota["Properties"]["ComputeQuotaConfig"] == {
        "ResourceSharingConfig": {"Strategy": "LendAndBorrow", "BorrowLimit": 100},
        "PreemptTeamTasks": "Never",
    }


def quota_names(cluster: str, *teams: str) -> list[str]:
    quotas = [
        TeamQuotaProps(
            team_name=team, nodes={}, fair_share_weight=0, sharing="LendAndBorrow",
            borrow_limit_percent=100, preempt="Never",
        )
        for team in teams
    ]  # fmt: skip
    props = HyperPodTaskGovernanceProps(
        name=cluster,
        cluster_arn="arn:aws:sagemaker:us-west-2:123456789012:cluster/abcdefghijkl",
        fair_share=False,
        idle_resource_sharing=False,
        teams=quotas,
    )
    made = synthesize(lambda stack: HyperPodTaskGovernance(stack, "governance", props))
    return sorted(q["Properties"]["Name"] for q in made.of_type("AWS::SageMaker::ComputeQuota").values())


def test_quotas_of_teams_whose_names_begin_alike_have_names_of_their_own() -> None:
    cluster = f"{'a' * 32}-env-integration1-c0ffee"
    names = quota_names(cluster, "research-vision", "research-speech", "ops")
    assert len(set(names)) == 3
    assert all(re.fullmatch(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", name) for name in names), names
    assert f"{cluster}-ops" in names
    # what is cut and stands alone keeps the name that it was deployed with
    assert quota_names("b" * 39, "research-speech-and-vision") == [f"{'b' * 39}-research-speech-and-vis"]


def test_the_load_balancer_controller_deletes_only_what_carries_its_mark() -> None:
    for one in load_balancer_statements():
        deletes = [action for action in one["Action"] if ":Delete" in action]
        rules = {"elasticloadbalancing:DeleteListener", "elasticloadbalancing:DeleteRule"}
        if set(deletes) - rules - {"shield:DeleteProtection", "ec2:DeleteTags"}:
            assert one["Condition"] == {"Null": {"aws:ResourceTag/elbv2.k8s.aws/cluster": "false"}}
