"""The role that HyperPod machines run with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from constructs import Construct

from ultracluster.cfn import add_service_role, attribute, statement, sub


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodExecutionRoleProps:
    """What the machines of one HyperPod cluster may do.

    Attributes:
        cluster_name: Scopes the log groups (`/aws/sagemaker/Clusters/<cluster_name>/...`).
        scripts_bucket_name: Bucket of the lifecycle scripts.
        scripts_prefix: Folder of all versions of the lifecycle scripts in it, without slashes at its ends.
        volume_key_arns: KMS keys of root and secondary volumes. None by default.
        describe_file_systems: Whether machines may ask FSx whether a file system has EFA, without which an
            EFA file system is silently mounted over TCP (HYPERPOD-03). False by default.
        remote_write_workspace_arn: Prometheus workspace that the machines send metrics to. None by default.
        tags: Tags of the role.
    """

    cluster_name: str
    scripts_bucket_name: str
    scripts_prefix: str
    volume_key_arns: Sequence[str] = ()
    describe_file_systems: bool = False
    remote_write_workspace_arn: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


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

    role_arn: str
    role_name: str

    def __init__(self, scope: Construct, construct_id: str, props: HyperPodExecutionRoleProps) -> None:
        """Create the role with its permissions inline."""
        super().__init__(scope, construct_id)
        role = add_service_role(
            self,
            "Resource",
            service="sagemaker.amazonaws.com",
            description=f"Machines of the HyperPod cluster {props.cluster_name}",
            statements=[
                *_agent_statements(props.cluster_name),
                *_network_statements(),
                *_scripts_statements(props.scripts_bucket_name, props.scripts_prefix),
                *_optional_statements(props),
            ],
            tags=props.tags,
            source_account_condition=False,
        )
        self.role_arn = attribute(role, "Arn")
        self.role_name = role.ref


def _agent_statements(cluster_name: str) -> list[dict[str, Any]]:
    """Logs, metrics and sessions, as in the managed policy; metrics and channels take no resource."""
    account = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}"
    group = f"{account}:log-group:/aws/sagemaker/Clusters/{cluster_name}/*"
    return [
        statement(
            ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
            sub(group),
            sid="Logs",
        ),
        statement(["logs:DescribeLogGroups"], "*", sid="FindLogGroups"),  # takes no resource
        statement(
            ["cloudwatch:PutMetricData"],
            "*",
            sid="Metrics",
            condition={"StringEquals": {"cloudwatch:namespace": "/aws/sagemaker/Clusters"}},
        ),
        statement(
            [
                "ssmmessages:CreateControlChannel",
                "ssmmessages:CreateDataChannel",
                "ssmmessages:OpenControlChannel",
                "ssmmessages:OpenDataChannel",
            ],
            "*",
            sid="Sessions",
        ),
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


def _scripts_statements(bucket_name: str, prefix: str) -> list[dict[str, Any]]:
    """The scripts. GetObject works on objects, not on the bucket (HYPERPOD-06).

    The key statement serves a bootstrap bucket with a customer-managed key, whose ARN nothing here knows: any
    key of the account, but only through S3 and only for this bucket's objects.
    """
    bucket = {"Bucket": bucket_name}
    bucket_arn = {"Fn::Sub": ["arn:${AWS::Partition}:s3:::${Bucket}", bucket]}
    # every version of the scripts: during an update machines still boot with the one before
    objects = {"Fn::Sub": [f"arn:${{AWS::Partition}}:s3:::${{Bucket}}/{prefix}/*", bucket]}
    any_object = {"Fn::Sub": ["arn:${AWS::Partition}:s3:::${Bucket}/*", bucket]}
    return [
        statement(
            ["s3:ListBucket"],
            bucket_arn,
            sid="ListScripts",
            condition={"StringEquals": {"aws:ResourceAccount": {"Ref": "AWS::AccountId"}}},
        ),
        statement(["s3:GetObject"], objects, sid="ReadScripts"),
        statement(
            ["kms:Decrypt"],
            sub("arn:${AWS::Partition}:kms:${AWS::Region}:${AWS::AccountId}:key/*"),
            sid="DecryptScripts",
            condition={
                "StringEquals": {"kms:ViaService": sub("s3.${AWS::Region}.amazonaws.com")},
                "ArnLike": {"kms:EncryptionContext:aws:s3:arn": [bucket_arn, any_object]},
            },
        ),
    ]


def _optional_statements(props: HyperPodExecutionRoleProps) -> list[dict[str, Any]]:
    statements: list[dict[str, Any]] = []
    if props.volume_key_arns:
        keys = sorted(set(props.volume_key_arns))
        statements.append(statement(["kms:CreateGrant", "kms:DescribeKey"], keys, sid="VolumeKeys"))
    if props.describe_file_systems:
        # the action takes no resource: scoped to file systems it would grant nothing (HYPERPOD-03)
        statements.append(statement(["fsx:DescribeFileSystems"], "*", sid="DescribeFileSystems"))
    if props.remote_write_workspace_arn is not None:
        workspace = props.remote_write_workspace_arn
        statements.append(statement(["aps:RemoteWrite"], workspace, sid="RemoteWrite"))
    return statements
