"""Amazon EKS: the control plane, its add-ons, roles of pods, and managed node groups."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from aws_cdk import Stack

from tests.stack.library.support import Synthesized, depends_on, lint_findings, synthesize
from ultracluster.kubernetes.eks_addons import EksAddon, EksAddonProps, PodIdentity, PodIdentityProps
from ultracluster.kubernetes.eks_cluster import AccessPolicy, EksCluster, EksClusterProps, add_access_entry
from ultracluster.kubernetes.eks_node_group import (
    EksNodeGroup,
    EksNodeGroupProps,
    EksNodeRole,
    EksNodeRoleProps,
    RepairOverride,
)

pytestmark = pytest.mark.synth

KEY = "arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
CLUSTER = EksClusterProps(
    cluster_name="demo-0a1b2c",
    kubernetes_version="1.35",
    vpc_id="vpc-0123456789abcdef0",
    subnet_ids=["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    security_group_id="sg-0123456789abcdef0",
    log_types=["scheduler", "audit"],
    log_retention_days=30,
    tags={"project": "tests"},
)
GROUP = EksNodeGroupProps(
    cluster_name="demo-0a1b2c",
    name="train-0a1b2c",
    ami_type="AL2023_x86_64_NVIDIA",
    node_role_arn="arn:aws:iam::123456789012:role/nodes",
    subnet_id="subnet-0123456789abcdef0",
    launch_template_id="lt-0123456789abcdef0",
    launch_template_version="3",
    kubernetes_version="1.35",
    desired_size=2,
    min_size=0,
    max_size=2,
)


def eks_set(stack: Stack) -> None:
    """All of it together, as a stack has it."""
    cluster = EksCluster(stack, "Eks", replace(CLUSTER, secrets_key_arn=KEY))
    add_access_entry(
        stack,
        "Ops",
        cluster_name=cluster.cluster_name,
        principal_arn="arn:aws:iam::123456789012:role/ops",
        policies=[AccessPolicy(name="AmazonEKSViewPolicy", namespaces=["team-a"])],
        tags={"project": "tests"},
    )
    identity = PodIdentity(
        stack,
        "Cni",
        PodIdentityProps(
            cluster_name=cluster.cluster_name,
            namespace="kube-system",
            service_account="aws-node",
            managed_policies=["AmazonEKS_CNI_Policy"],
            statements=[{"Effect": "Allow", "Action": ["fsx:DescribeFileSystems"], "Resource": "*"}],
        ),
    )
    addon = EksAddon(
        stack,
        "CniAddon",
        EksAddonProps(
            cluster_name=cluster.cluster_name,
            name="vpc-cni",
            version="v1.21.1-eksbuild.7",
            settings={"env": {"B": "2", "A": "1"}},
            dependencies=[identity.association],
        ),
    )
    role = EksNodeRole(
        stack,
        "Nodes",
        EksNodeRoleProps(
            cluster_name="demo-0a1b2c", scripts_bucket_name="scripts", scripts_prefix="eks-nodes"
        ),
    )
    group = replace(
        GROUP,
        cluster_name=cluster.cluster_name,
        node_role_arn=role.role_arn,
        dependencies=[addon.resource],
    )
    EksNodeGroup(stack, "Train", group)


@pytest.fixture(scope="module")
def everything() -> Synthesized:
    return synthesize(eks_set)


@pytest.mark.long
def test_the_template_lints_clean(everything: Synthesized) -> None:
    assert lint_findings(everything.template) == []


def test_the_log_group_is_there_before_eks_would_make_one_that_is_kept_for_ever(
    everything: Synthesized,
) -> None:
    logs, group = everything.named("AWS::Logs::LogGroup")
    assert group["Properties"]["LogGroupName"] == "/aws/eks/demo-0a1b2c/cluster"
    cluster = everything.named("AWS::EKS::Cluster")[1]
    assert logs in depends_on(cluster)
    assert cluster["Properties"]["Logging"] == {
        "ClusterLogging": {"EnabledTypes": [{"Type": "audit"}, {"Type": "scheduler"}]}
    }


def test_the_control_plane_may_use_the_key_of_its_secrets_and_no_other(everything: Synthesized) -> None:
    statement = everything.statements("EksRole")["Secrets"]
    assert statement["Resource"] == KEY
    plain = synthesize(lambda stack: EksCluster(stack, "Eks", CLUSTER))
    assert "Policies" not in plain.properties("AWS::IAM::Role")
    assert "EncryptionConfig" not in plain.properties("AWS::EKS::Cluster")


def test_settings_of_an_add_on_have_one_form(everything: Synthesized) -> None:
    addon = everything.properties("AWS::EKS::Addon")
    assert addon["ConfigurationValues"] == '{"env":{"A":"1","B":"2"}}'
    assert addon["ResolveConflicts"] == "OVERWRITE"


def test_hyperpod_02_pods_have_their_role_by_an_association_before_the_add_on(
    everything: Synthesized,
) -> None:
    association, _ = everything.named("AWS::EKS::PodIdentityAssociation")
    assert association in depends_on(everything.named("AWS::EKS::Addon")[1])
    trust = everything.properties("AWS::IAM::Role", "CniRole")["AssumeRolePolicyDocument"]["Statement"]
    assert trust[0]["Action"] == ["sts:AssumeRole", "sts:TagSession"]
    assert trust[0]["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


def test_an_entry_is_for_the_whole_cluster_or_for_namespaces(everything: Synthesized) -> None:
    (policy,) = everything.properties("AWS::EKS::AccessEntry", "Ops")["AccessPolicies"]
    assert policy["AccessScope"] == {"Type": "namespace", "Namespaces": ["team-a"]}


def test_a_cluster_in_one_subnet_is_refused() -> None:
    with pytest.raises(ValueError, match="fewer than two zones"):
        synthesize(lambda stack: EksCluster(stack, "Eks", replace(CLUSTER, subnet_ids=["subnet-1"])))


@pytest.mark.parametrize(("least", "wanted", "most"), [(3, 2, 4), (0, 2, 1), (0, 0, 0)])
def test_sizes_that_eks_refuses_are_refused(least: int, wanted: int, most: int) -> None:
    props = replace(GROUP, min_size=least, desired_size=wanted, max_size=most)
    with pytest.raises(ValueError, match="pass ascending sizes"):
        synthesize(lambda stack: EksNodeGroup(stack, "Train", props))


def test_repair_is_off_or_says_what_it_does() -> None:
    override = RepairOverride(
        condition="AcceleratedHardwareReady", reason="NvidiaXID79Error", action="Reboot", wait_minutes=10
    )
    on = replace(GROUP, max_parallel_repairs=2, max_unhealthy=5, repair_overrides=[override])
    for props, written in (
        (replace(GROUP, repair=False, repair_overrides=[override]), {"Enabled": False}),
        (GROUP, {"Enabled": True, "MaxParallelNodesRepairedCount": 1}),
        (
            on,
            {
                "Enabled": True,
                "MaxParallelNodesRepairedCount": 2,
                "MaxUnhealthyNodeThresholdCount": 5,
                "NodeRepairConfigOverrides": [
                    {
                        "NodeMonitoringCondition": "AcceleratedHardwareReady",
                        "NodeUnhealthyReason": "NvidiaXID79Error",
                        "MinRepairWaitTimeMins": 10,
                        "RepairAction": "Reboot",
                    }
                ],
            },
        ),
    ):
        made = synthesize(lambda stack, props=props: EksNodeGroup(stack, "Train", props))  # type: ignore[misc]
        assert made.properties("AWS::EKS::Nodegroup")["NodeRepairConfig"] == written


def test_a_layer_with_kubectl_makes_the_cluster_one_that_charts_can_be_put_into() -> None:
    from aws_cdk import aws_eks_v2 as eks
    from aws_cdk import aws_lambda as lambda_

    def build(stack: Stack) -> None:
        arn = "arn:aws:lambda:us-west-2:123456789012:layer:kubectl:1"
        layer = lambda_.LayerVersion.from_layer_version_arn(stack, "Layer", arn)
        cluster = EksCluster(stack, "Eks", replace(CLUSTER, kubectl_layer=layer))
        eks.HelmChart(
            stack, "Chart", cluster=cluster.cluster, chart="kueue", repository="https://charts.example"
        )

    made = synthesize(build)
    assert len(made.of_type("Custom::AWSCDK-EKS-HelmChart")) == 1
    assert "AmazonEKSClusterAdminPolicy" in json.dumps(made.properties("AWS::EKS::AccessEntry"))
