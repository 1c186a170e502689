"""Execution role of HyperPod nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from constructs import Construct

from ultracluster.cfn import add_service_role, allowed, attribute, statement, sub
from ultracluster.nodes.permissions import (
    SlurmNodeRoleProps,
    access_statements,
    image_statements,
    log_statement,
    metric_statement,
    metrics_statements,
    only_through,
    scripts_statements,
    session_statement,
    shared_statements,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodExecutionRoleProps(SlurmNodeRoleProps):
    """Permissions of the nodes of a HyperPod cluster.

    Attributes:
        scripts_bucket_name: Bucket of the lifecycle scripts. None: no scripts.
        scripts_prefix: Folder of all versions of the lifecycle scripts, without slashes at the start and end.
            Empty: the whole bucket.
        volume_key_arns: KMS keys of root and secondary volumes. None by default.
        describe_file_systems: Whether nodes may query FSx for the EFA property of a file system. Without this
            permission, a file system with EFA is silently mounted over TCP (HYPERPOD-03). False by default.
        describe_alarms: Whether image updates use alarms, which HyperPod reads with this role. False by
            default.
        secret_arns: Secrets with the credentials of the accounting database. None by default.
        eks_cluster_arn: The EKS cluster that the nodes join. None: the nodes run Slurm.
        secret_key_arns: Customer managed KMS keys of the secrets in `secret_arns`. None by default.

    `SlurmNodeRoleProps` describes the other properties. The log groups are
    `/aws/sagemaker/Clusters/<cluster_name>/...`.
    """

    scripts_bucket_name: str | None = None
    scripts_prefix: str = ""
    volume_key_arns: Sequence[str] = ()
    describe_file_systems: bool = False
    describe_alarms: bool = False
    secret_arns: Sequence[str] = ()
    secret_key_arns: Sequence[str] = ()
    eks_cluster_arn: str | None = None


class HyperPodExecutionRole(Construct):
    """A role with the permissions that HyperPod documents for nodes in the user's VPC.

    The role contains the statements of the managed policy AmazonSageMakerClusterInstanceRolePolicy,
    restricted to this cluster's log groups and scripts. The role has no path, because HyperPod does not
    support one (HYPERPOD-38). Source:
    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html

    Attributes:
        role_arn: ARN of the role.
        role_name: Generated name of the role.
    """

    def __init__(self, scope: Construct, construct_id: str, props: HyperPodExecutionRoleProps) -> None:
        """Create the role with inline permissions."""
        super().__init__(scope, construct_id)
        bucket = props.scripts_bucket_name
        role = add_service_role(
            self,
            "Resource",
            service="sagemaker.amazonaws.com",
            description=f"Nodes of the HyperPod cluster {props.cluster_name}",
            statements=[
                *_agent_statements(props.cluster_name),
                *_network_statements(),
                *_kubernetes_statements(props.eks_cluster_arn),
                *(scripts_statements(bucket, props.scripts_prefix) if bucket else ()),
                *_optional_statements(props),
            ],
            tags=props.tags,
            source_account_condition=False,
        )
        self.role_arn = attribute(role, "Arn")
        self.role_name = role.ref


def _agent_statements(cluster_name: str) -> list[dict[str, Any]]:
    """Return statements for logs, metrics and sessions, as in the managed policy."""
    clusters = "/aws/sagemaker/Clusters"
    return [
        log_statement(f"{clusters}/{cluster_name}"),
        statement(["logs:DescribeLogGroups"], "*", sid="FindLogGroups"),  # does not support a resource
        metric_statement(clusters),
        session_statement(),
    ]


def _network_statements() -> list[dict[str, Any]]:
    """Return statements for the network interfaces of nodes in the user's VPC, as documented."""
    interfaces = [
        "ec2:CreateNetworkInterface",
        "ec2:CreateNetworkInterfacePermission",
        "ec2:DeleteNetworkInterface",
        "ec2:DeleteNetworkInterfacePermission",
        "ec2:DescribeDhcpOptions",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcs",
        "ec2:DetachNetworkInterface",
    ]
    tagged = sub("arn:${AWS::Partition}:ec2:${AWS::Region}:${AWS::AccountId}:network-interface/*")
    return [
        statement(interfaces, "*", sid="NetworkInterfaces"),
        statement(["ec2:CreateTags"], tagged, sid="NetworkInterfaceTags"),
    ]


def _kubernetes_statements(cluster_arn: str | None) -> list[dict[str, Any]]:
    """Return statements for pods, images and tags; without them, nodes do not become ready.

    Reports: HYPERPOD-19, HYPERPOD-38. Source:
    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html
    """
    if cluster_arn is None:
        return []
    place = "arn:${AWS::Partition}:{service}:${AWS::Region}:${AWS::AccountId}:"
    ec2, sagemaker = (place.replace("{service}", name) for name in ("ec2", "sagemaker"))
    interfaces = [sub(f"{ec2}instance/*"), sub(f"{ec2}network-interface/*")]
    changed = [
        "ec2:AssignPrivateIpAddresses",
        "ec2:AttachNetworkInterface",
        "ec2:ModifyNetworkInterfaceAttribute",
        "ec2:UnassignPrivateIpAddresses",
    ]
    # these actions do not support a resource
    described = ["ec2:DescribeInstanceTypes", "ec2:DescribeInstances", "ec2:DescribeTags"]
    images = [
        "ecr:BatchCheckLayerAvailability",
        "ecr:BatchGetImage",
        "ecr:GetAuthorizationToken",
        "ecr:GetDownloadUrlForLayer",
    ]
    return [
        statement(changed, interfaces, sid="PodAddresses"),
        statement(described, "*", sid="DescribeInstances"),
        # AWS stores the images of the agent and the add-ons in its own accounts
        statement(images, "*", sid="PullImages"),
        statement(["eks-auth:AssumeRoleForPodIdentity"], cluster_arn, sid="PodIdentity"),
        statement(["sagemaker:AddTags"], sub(f"{sagemaker}cluster/*"), sid="TagCluster"),
    ]


def _optional_statements(props: HyperPodExecutionRoleProps) -> list[dict[str, Any]]:
    keys, secret_keys = sorted(set(props.volume_key_arns)), sorted(set(props.secret_key_arns))
    alarms = sub("arn:${AWS::Partition}:cloudwatch:${AWS::Region}:${AWS::AccountId}:alarm:*")
    by_secret = only_through("secretsmanager")
    described = "*" if props.describe_file_systems else None
    return [
        *allowed(["kms:CreateGrant", "kms:DescribeKey"], keys, sid="VolumeKeys"),
        # the action does not support a resource: restricted to file systems, it has no effect (HYPERPOD-03)
        *allowed(["fsx:DescribeFileSystems"], described, sid="DescribeFileSystems"),
        *shared_statements(props),
        *metrics_statements(props.metrics),
        *access_statements(props.access, finds_log_groups=True),
        # with Kubernetes, nodes pull from all repositories
        *image_statements(props.images, pulls=props.eks_cluster_arn is None),
        *allowed(["cloudwatch:DescribeAlarms"], props.describe_alarms and alarms, sid="DescribeAlarms"),
        # access to the accounting database; a customer managed key decrypts only through Secrets Manager
        *allowed(["secretsmanager:GetSecretValue"], list(props.secret_arns), sid="AccountingSecret"),
        *allowed(["kms:Decrypt"], secret_keys, sid="AccountingSecretKey", condition=by_secret),
    ]
