"""Permissions of the HyperPod node role, each with the part of a profile that requires it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from config.design.model import Design
from config.design.observability.collection.slurm import existing_workspace
from config.profile.observability.metrics import ExistingPrometheus, Observability
from config.profile.slurm.hyperpod import ExistingAccounting, NewAccounting

_IAM = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html"
_NETWORK = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html"
_KUBERNETES = "https://github.com/awslabs/awsome-distributed-ai/pull/624"
_CLOUDWATCH = "https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html"
_LUSTRE = "https://github.com/awslabs/awsome-distributed-ai/issues/1202"
_SESSIONS = "https://docs.aws.amazon.com/systems-manager/latest/userguide/getting-started-create-iam-instance-profile.html"
_SECRETS = "https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_examples.html"
_REGISTRY = "https://docs.aws.amazon.com/AmazonECR/latest/userguide/pull-through-cache-iam.html"
_ACCOUNTING = (
    "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-external-accounting-db-slurm.html"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """Actions of one statement of the role, required if the cluster has the part `when`."""

    statement: str
    when: str
    actions: tuple[str, ...]
    source: str


PERMISSIONS = (
    Permission(
        statement="Logs",
        when="always",
        source=_IAM,
        actions=(
            "logs:CreateLogGroup",
            "logs:CreateLogStream",
            "logs:DescribeLogStreams",
            "logs:PutLogEvents",
        ),
    ),
    Permission(statement="FindLogGroups", when="always", source=_IAM, actions=("logs:DescribeLogGroups",)),
    Permission(statement="Metrics", when="always", source=_IAM, actions=("cloudwatch:PutMetricData",)),
    Permission(
        statement="Sessions",
        when="always",
        source=_IAM,
        actions=(
            "ssmmessages:CreateControlChannel",
            "ssmmessages:CreateDataChannel",
            "ssmmessages:OpenControlChannel",
            "ssmmessages:OpenDataChannel",
        ),
    ),
    Permission(
        statement="NetworkInterfaces",
        when="always",
        source=_NETWORK,
        actions=(
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
        ),
    ),
    Permission(statement="NetworkInterfaceTags", when="always", source=_NETWORK, actions=("ec2:CreateTags",)),
    Permission(
        statement="PodAddresses",
        when="kubernetes",
        source=_KUBERNETES,
        actions=(
            "ec2:AssignPrivateIpAddresses",
            "ec2:AttachNetworkInterface",
            "ec2:ModifyNetworkInterfaceAttribute",
            "ec2:UnassignPrivateIpAddresses",
        ),
    ),
    Permission(
        statement="DescribeInstances",
        when="kubernetes",
        source=_KUBERNETES,
        actions=("ec2:DescribeInstanceTypes", "ec2:DescribeInstances", "ec2:DescribeTags"),
    ),
    Permission(
        statement="PullImages",
        when="kubernetes",
        source=_KUBERNETES,
        actions=(
            "ecr:BatchCheckLayerAvailability",
            "ecr:BatchGetImage",
            "ecr:GetAuthorizationToken",
            "ecr:GetDownloadUrlForLayer",
        ),
    ),
    Permission(
        statement="PodIdentity",
        when="kubernetes",
        source=_KUBERNETES,
        actions=("eks-auth:AssumeRoleForPodIdentity",),
    ),
    Permission(
        statement="TagCluster",
        when="kubernetes",
        source="https://github.com/awslabs/awsome-distributed-ai/issues/634",
        actions=("sagemaker:AddTags",),
    ),
    Permission(statement="ListScripts", when="scripts", source=_IAM, actions=("s3:ListBucket",)),
    Permission(statement="ReadScripts", when="scripts", source=_IAM, actions=("s3:GetObject",)),
    Permission(statement="DecryptScripts", when="scripts", source=_IAM, actions=("kms:Decrypt",)),
    Permission(
        statement="VolumeKeys",
        when="volume keys",
        source=_IAM,
        actions=("kms:CreateGrant", "kms:DescribeKey"),
    ),
    Permission(
        statement="DescribeFileSystems",
        when="lustre over efa",
        source=_LUSTRE,
        actions=("fsx:DescribeFileSystems",),
    ),
    Permission(
        statement="ReadParameters",
        when="further file systems",
        source="https://docs.aws.amazon.com/systems-manager/latest/userguide/sysman-paramstore-access.html",
        actions=("ssm:GetParameter",),
    ),
    Permission(
        statement="DirectoryBuckets",
        when="directory bucket",
        source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-security-iam.html",
        actions=("s3express:CreateSession",),
    ),
    Permission(
        statement="RemoteWrite",
        when="metrics",
        source="https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-and-IAM.html",
        actions=("aps:RemoteWrite",),
    ),
    Permission(
        statement="FileSystemMetrics",
        when="metrics of file systems",
        source=_CLOUDWATCH,
        actions=("cloudwatch:GetMetricData", "cloudwatch:ListMetrics"),
    ),
    Permission(
        statement="RegistryLogin",
        when="images of slurm",
        source=_REGISTRY,
        actions=("ecr:GetAuthorizationToken",),
    ),
    Permission(
        statement="RegistryImages",
        when="images of slurm",
        source=_REGISTRY,
        actions=("ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"),
    ),
    Permission(
        statement="RegistryCaches",
        when="cached images",
        source=_REGISTRY,
        actions=("ecr:BatchImportUpstreamImage", "ecr:CreateRepository"),
    ),
    Permission(
        statement="MetricsSecret",
        when="secret of metrics",
        source="https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_examples.html",
        actions=("secretsmanager:GetSecretValue",),
    ),
    Permission(
        statement="MetricsArchives",
        when="bucket of archives",
        source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/security_iam_service-with-iam.html",
        actions=("s3:GetObject",),
    ),
    Permission(
        statement="SessionLogs",
        when="session logs",
        source=_SESSIONS,
        actions=("logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"),
    ),
    Permission(
        statement="SessionBucket",
        when="session bucket",
        source=_SESSIONS,
        actions=("s3:GetEncryptionConfiguration",),
    ),
    Permission(
        statement="SessionArchive", when="session bucket", source=_SESSIONS, actions=("s3:PutObject",)
    ),
    Permission(
        statement="SessionArchiveKey",
        when="session bucket key",
        source=_SESSIONS,
        actions=("kms:Decrypt", "kms:GenerateDataKey"),
    ),
    Permission(
        statement="DirectorySecret",
        when="directory",
        source=_SECRETS,
        actions=("secretsmanager:GetSecretValue",),
    ),
    Permission(
        statement="DirectorySecretKey", when="directory key", source=_SECRETS, actions=("kms:Decrypt",)
    ),
    Permission(
        statement="DescribeAlarms", when="alarms", source=_IAM, actions=("cloudwatch:DescribeAlarms",)
    ),
    Permission(
        statement="AccountingSecret",
        when="accounting",
        source=_ACCOUNTING,
        actions=("secretsmanager:GetSecretValue",),
    ),
    Permission(
        statement="AccountingSecretKey", when="accounting key", source=_ACCOUNTING, actions=("kms:Decrypt",)
    ),
)
"""All permissions of the role, in the order of its policy."""


def permissions_of(design: Design) -> tuple[Permission, ...]:
    """Return the exact permissions of the role of a design's nodes."""
    parts = frozenset(_parts(design))
    return tuple(permission for permission in PERMISSIONS if permission.when in parts)


def _parts(design: Design) -> Iterator[str]:
    """Return the parts of a cluster that require a permission."""
    yield "always"
    plan, observability = design.hyperpod or design.hyperpod_eks, design.profile.observability
    if plan is None:
        return
    accounting = design.hyperpod.accounting if design.hyperpod else None
    collection = plan.scripts.collection if plan.scripts else None
    sessions = design.profile.access.sessions if design.profile.access else None
    people = plan.scripts.people if plan.scripts else None
    has = {
        "session logs": sessions and sessions.logs,
        "session bucket": sessions and sessions.bucket,
        "session bucket key": sessions and sessions.bucket and sessions.bucket.key_arn,
        "directory": people and people.secret_arn,
        "directory key": people and people.secret_key_arn,
        "kubernetes": design.hyperpod_eks,
        "scripts": plan.scripts or plan.customer,
        "further file systems": plan.scripts and plan.scripts.parameters,
        "volume keys": any(group.volume_key_arn or group.root_volume_key_arn for group in design.groups),
        "lustre over efa": any(system.efa for system in design.file_systems),
        "directory bucket": design.express,
        "metrics": observability and _writes(observability),
        "images of slurm": design.pulled and design.hyperpod,
        "cached images": design.pulled and design.pulled.caches,
        "metrics of file systems": collection and collection.reads_cloudwatch,
        "secret of metrics": collection and collection.secret_arns,
        "bucket of archives": collection and collection.bucket,
        "alarms": any(
            update.deployment.alarms
            for group in design.groups
            for update in (group.scheduled_update, group.auto_patch)
            if update and update.deployment
        ),
        "accounting": accounting,
        "accounting key": accounting and _secret_key(accounting.new or accounting.existing),
    }
    yield from (part for part, there in has.items() if there)


def _writes(observability: Observability) -> bool:
    """Return True if samples are written to an AMP workspace in this account, according to its address."""
    prometheus = observability.prometheus
    if isinstance(prometheus, ExistingPrometheus):
        return existing_workspace(observability) is not None
    return prometheus is not None


def _secret_key(accounting: NewAccounting | ExistingAccounting | None) -> str | None:
    if isinstance(accounting, ExistingAccounting):
        return accounting.secret_key_arn
    return accounting.key_arn if accounting else None
