"""The role that HyperPod machines run with."""

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
    """What the machines of one HyperPod cluster may do.

    Attributes:
        scripts_bucket_name: Bucket of the lifecycle scripts. None: machines run none.
        scripts_prefix: Folder of all versions of the lifecycle scripts in it, without slashes at its ends.
            Empty: the whole bucket.
        volume_key_arns: KMS keys of root and secondary volumes. None by default.
        describe_file_systems: Whether machines may ask FSx whether a file system has EFA, without which an
            EFA file system is silently mounted over TCP (HYPERPOD-03). False by default.
        describe_alarms: Whether updates of the image go by alarms, which the service reads as this role.
            False by default.
        secret_arns: Secrets that open the accounting database. None by default.
        eks_cluster_arn: The EKS cluster that the machines join. None: they run Slurm.
        secret_key_arns: KMS keys of those secrets, where they are not the account's own. None by default.

    The rest is described in `SlurmNodeRoleProps`; the log groups are
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
    """A role with what HyperPod documents for machines in a VPC of one's own, and nothing else.

    The managed policy AmazonSageMakerClusterInstanceRolePolicy is written out and narrowed to this
    cluster's log groups and scripts. The role has no path, which the service cannot cope with
    (HYPERPOD-38). Source:
    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html

    Attributes:
        role_arn: The role.
        role_name: Its generated name.
    """

    def __init__(self, scope: Construct, construct_id: str, props: HyperPodExecutionRoleProps) -> None:
        """Create the role with its permissions inline."""
        super().__init__(scope, construct_id)
        bucket = props.scripts_bucket_name
        role = add_service_role(
            self,
            "Resource",
            service="sagemaker.amazonaws.com",
            description=f"Machines of the HyperPod cluster {props.cluster_name}",
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
    """Logs, metrics and sessions, as in the managed policy; metrics and channels take no resource."""
    clusters = "/aws/sagemaker/Clusters"
    return [
        log_statement(f"{clusters}/{cluster_name}"),
        statement(["logs:DescribeLogGroups"], "*", sid="FindLogGroups"),  # takes no resource
        metric_statement(clusters),
        session_statement(),
    ]


def _network_statements() -> list[dict[str, Any]]:
    """Interfaces in our VPC, through which the service connects its machines; as documented."""
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
    """Addresses of pods, images, credentials of pods, and tags: without them nodes never become ready.

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
    # these take no resource
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
        # AWS's images of the agent and the add-ons lie in accounts of AWS
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
        # the action takes no resource: scoped to file systems it would grant nothing (HYPERPOD-03)
        *allowed(["fsx:DescribeFileSystems"], described, sid="DescribeFileSystems"),
        *shared_statements(props),
        *metrics_statements(props.metrics),
        *access_statements(props.access, finds_log_groups=True),
        # under Kubernetes they pull from every repository
        *image_statements(props.images, pulls=props.eks_cluster_arn is None),
        *allowed(["cloudwatch:DescribeAlarms"], props.describe_alarms and alarms, sid="DescribeAlarms"),
        # what opens the accounting database; the user's own key decrypts only through Secrets Manager
        *allowed(["secretsmanager:GetSecretValue"], list(props.secret_arns), sid="AccountingSecret"),
        *allowed(["kms:Decrypt"], secret_keys, sid="AccountingSecretKey", condition=by_secret),
    ]
