"""IAM statements of node roles: scripts, parameters, images, metrics, logs and sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ultracluster.cfn import Tagged, allowed, statement, sub
from ultracluster.nodes.image_cache import cached_repositories


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeMetricsAccess:
    """Permissions of nodes for metrics collection.

    Attributes:
        file_system_metrics: Whether a node queries CloudWatch for file system metrics. False by default.
        secret_arns: Secrets with the password of an existing Prometheus. None by default.
        archives: Bucket and folder with the exporters' archives, as `bucket/folder`. None: no bucket.
    """

    file_system_metrics: bool = False
    secret_arns: Sequence[str] = ()
    archives: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeImageAccess:
    """Images of the account's ECR registry that nodes may pull.

    Attributes:
        repository_names: Names of repositories. None by default.
        cache_prefixes: Prefixes of pull-through caches, without the slash. None by default.
    """

    repository_names: Sequence[str] = ()
    cache_prefixes: Sequence[str] = ()


def image_statements(access: NodeImageAccess | None, *, pulls: bool = True) -> list[dict[str, Any]]:
    """Return the statements that allow image pulls, also through caches.

    `pulls` is False if the nodes' role can already pull from every repository. Source:
    https://docs.aws.amazon.com/AmazonECR/latest/userguide/pull-through-cache-iam.html
    """
    if access is None:
        return []
    place = "arn:${AWS::Partition}:ecr:${AWS::Region}:${AWS::AccountId}:repository/"
    cached = cached_repositories(access.cache_prefixes)
    own = [sub(f"{place}{name}") for name in sorted(set(access.repository_names))]
    layers = ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"]
    login = statement(["ecr:GetAuthorizationToken"], "*", sid="RegistryLogin")
    fetched = ["ecr:BatchImportUpstreamImage", "ecr:CreateRepository"]
    return [
        *([login, statement(layers, [*own, *cached], sid="RegistryImages")] if pulls else []),
        *allowed(fetched, cached, sid="RegistryCaches"),
    ]


def metrics_statements(access: NodeMetricsAccess | None) -> list[dict[str, Any]]:
    """Return the statements for metrics collection; CloudWatch actions need `*` as resource.

    Source: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html
    """
    if access is None:
        return []
    read = ["cloudwatch:GetMetricData", "cloudwatch:ListMetrics"]
    secrets = sorted(set(access.secret_arns))
    objects = access.archives and sub(f"arn:${{AWS::Partition}}:s3:::{access.archives}/*")
    return [
        *allowed(read, "*" if access.file_system_metrics else None, sid="FileSystemMetrics"),
        *allowed(["secretsmanager:GetSecretValue"], secrets, sid="MetricsSecret"),
        *allowed(["s3:GetObject"], objects, sid="MetricsArchives"),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAccess:
    """Permissions of nodes for user accounts and Session Manager logs.

    Attributes:
        log_group_prefix: Prefix of the session log groups. None: sessions are not logged to CloudWatch Logs.
        bucket_name: Bucket of session logs. None: sessions are not logged to S3.
        bucket_prefix: Folder in the bucket, without leading and trailing slash.
        bucket_key_arn: KMS key of the bucket. None: the bucket has no customer managed key.
        secret_arn: Secret with the password of the user directory. None: no directory.
        secret_key_arn: KMS key of the secret. None: the default key of Secrets Manager.
    """

    log_group_prefix: str | None = None
    bucket_name: str | None = None
    bucket_prefix: str = ""
    bucket_key_arn: str | None = None
    secret_arn: str | None = None
    secret_key_arn: str | None = None


def access_statements(access: NodeAccess | None, *, finds_log_groups: bool = False) -> list[dict[str, Any]]:
    """Return the statements for the SSM agent's session logs, and for the directory's secret.

    `finds_log_groups` is True if the role may already list log groups. Source:
    https://docs.aws.amazon.com/systems-manager/latest/userguide/getting-started-create-iam-instance-profile.html
    """
    if access is None:
        return []
    statements: list[dict[str, Any]] = []
    if access.log_group_prefix is not None:
        place = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:"
        write = ["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"]
        statements.append(statement(write, sub(f"{place}{access.log_group_prefix}*"), sid="SessionLogs"))
        if not finds_log_groups:
            # this action does not support resources
            statements.append(statement(["logs:DescribeLogGroups"], "*", sid="FindLogGroups"))
    if access.bucket_name is not None:
        bucket = f"arn:${{AWS::Partition}}:s3:::{access.bucket_name}"
        folder = f"{access.bucket_prefix}/" if access.bucket_prefix else ""
        statements.append(statement(["s3:GetEncryptionConfiguration"], sub(bucket), sid="SessionBucket"))
        statements.append(statement(["s3:PutObject"], sub(f"{bucket}/{folder}*"), sid="SessionArchive"))
    seal = ["kms:Decrypt", "kms:GenerateDataKey"]
    by_s3, by_secret = only_through("s3"), only_through("secretsmanager")
    return [
        *statements,
        *allowed(seal, access.bucket_key_arn, sid="SessionArchiveKey", condition=by_s3),
        *allowed(["secretsmanager:GetSecretValue"], access.secret_arn, sid="DirectorySecret"),
        *allowed(["kms:Decrypt"], access.secret_key_arn, sid="DirectorySecretKey", condition=by_secret),
    ]


def only_through(service: str) -> dict[str, Any]:
    """Return a condition that allows a KMS key only for requests of one service."""
    return {"StringEquals": {"kms:ViaService": sub(f"{service}.${{AWS::Region}}.amazonaws.com")}}


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmNodeRoleProps(Tagged):
    """Properties of the node role of a Slurm cluster, on HyperPod or PCS.

    Attributes:
        cluster_name: Name that is part of the agents' log group names.
        parameter_names: SSM parameters that node scripts read, with the leading slash. None by default.
        directory_bucket_names: Directory buckets that nodes read and write. None by default.
        remote_write_workspace_arn: AMP workspace that nodes send metrics to. None by default.
        metrics: Permissions for metrics collection. None: no permissions.
        access: Permissions for user accounts and sessions. None: no permissions.
        images: Images of the account's ECR registry. None: no permissions.
    """

    cluster_name: str
    parameter_names: Sequence[str] = ()
    directory_bucket_names: Sequence[str] = ()
    remote_write_workspace_arn: str | None = None
    metrics: NodeMetricsAccess | None = None
    access: NodeAccess | None = None
    images: NodeImageAccess | None = None


def log_statement(log_groups: str) -> dict[str, Any]:
    """Return the statement that allows agents to write logs to log groups with this prefix."""
    place = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:"
    write = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"]
    return statement(write, sub(f"{place}{log_groups}/*"), sid="Logs")


def metric_statement(namespace: str) -> dict[str, Any]:
    """Return the statement that allows agents to send metrics; the action needs `*` as resource."""
    condition = {"StringEquals": {"cloudwatch:namespace": namespace}}
    return statement(["cloudwatch:PutMetricData"], "*", sid="Metrics", condition=condition)


def session_statement() -> dict[str, Any]:
    """Return the statement for Session Manager; its actions need `*` as resource."""
    return statement(
        [
            "ssmmessages:CreateControlChannel",
            "ssmmessages:CreateDataChannel",
            "ssmmessages:OpenControlChannel",
            "ssmmessages:OpenDataChannel",
        ],
        "*",
        sid="Sessions",
    )


def scripts_statements(bucket_name: str, prefix: str) -> list[dict[str, Any]]:
    """Return the statements that allow nodes to read their scripts.

    `s3:GetObject` applies to objects, not to the bucket (HYPERPOD-06). The KMS statement is for a bootstrap
    bucket with a customer managed key. The ARN of that key is not known here. The statement allows all keys
    of the account, but only through S3 and only for objects of this bucket.
    """
    bucket = {"Bucket": bucket_name}
    folder = f"{prefix}/" if prefix else ""
    bucket_arn = {"Fn::Sub": ["arn:${AWS::Partition}:s3:::${Bucket}", bucket]}
    # all versions of the scripts: during an update, nodes still boot with the previous version
    objects = {"Fn::Sub": [f"arn:${{AWS::Partition}}:s3:::${{Bucket}}/{folder}*", bucket]}
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
                **only_through("s3"),
                "ArnLike": {"kms:EncryptionContext:aws:s3:arn": [bucket_arn, any_object]},
            },
        ),
    ]


def shared_statements(props: SlurmNodeRoleProps) -> list[dict[str, Any]]:
    """Return the statements for SSM parameters, directory buckets and the metrics workspace."""
    parameters = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter"
    names = [sub(f"{parameters}{name}") for name in sorted(set(props.parameter_names))]
    place = "arn:${AWS::Partition}:s3express:${AWS::Region}:${AWS::AccountId}:bucket/${Name}"
    buckets = [{"Fn::Sub": [place, {"Name": name}]} for name in props.directory_bucket_names]
    return [
        *allowed(["ssm:GetParameter"], names, sid="ReadParameters"),
        # one permission for reading and writing: each session selects one of them
        *allowed(["s3express:CreateSession"], buckets, sid="DirectoryBuckets"),
        *allowed(["aps:RemoteWrite"], props.remote_write_workspace_arn, sid="RemoteWrite"),
    ]
