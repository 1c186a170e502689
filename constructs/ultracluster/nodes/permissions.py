"""What machines of every control plane may do: fetch their scripts, and reach what the cluster shares."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ultracluster.cfn import Tagged, allowed, statement, sub
from ultracluster.nodes.image_cache import cached_repositories


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeMetricsAccess:
    """What machines may read for their metrics.

    Attributes:
        file_system_metrics: Whether one of them asks CloudWatch for metrics of file systems. False by
            default.
        secret_arns: Secrets with the password of a Prometheus of one's own. None by default.
        archives: Bucket and folder that programs are fetched from, as `bucket/folder`. None: no bucket.
    """

    file_system_metrics: bool = False
    secret_arns: Sequence[str] = ()
    archives: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeImageAccess:
    """Images of the account's registry that machines pull.

    Attributes:
        repository_names: Repositories by name. None by default.
        cache_prefixes: What repositories of pull-through caches begin with, without the slash after it. None
            by default.
    """

    repository_names: Sequence[str] = ()
    cache_prefixes: Sequence[str] = ()


def image_statements(access: NodeImageAccess | None, *, pulls: bool = True) -> list[dict[str, Any]]:
    """What pulls images, and what lets ECR fetch those of a cache; signing in takes no resource.

    `pulls`: False where the machines' role may pull from every repository already. Source:
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
    """What collection reads; CloudWatch's actions take no resource.

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
    """What machines need for people and their sessions.

    Attributes:
        log_group_prefix: Beginning of the names of log groups that sessions are logged to. None: none is.
        bucket_name: Bucket that gets logs of sessions. None: none does.
        bucket_prefix: Folder in it, without slashes at its ends.
        bucket_key_arn: KMS key of the bucket. None: it has none of its own.
        secret_arn: Secret that opens a directory of people. None: there is none.
        secret_key_arn: KMS key of the secret. None: the account's own.
    """

    log_group_prefix: str | None = None
    bucket_name: str | None = None
    bucket_prefix: str = ""
    bucket_key_arn: str | None = None
    secret_arn: str | None = None
    secret_key_arn: str | None = None


def access_statements(access: NodeAccess | None, *, finds_log_groups: bool = False) -> list[dict[str, Any]]:
    """Logs of sessions, which the agent of the machine writes, and the password of a directory.

    `finds_log_groups`: the role may list log groups already. Source:
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
            # takes no resource
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
    """A condition for the use of a KMS key through one service alone."""
    return {"StringEquals": {"kms:ViaService": sub(f"{service}.${{AWS::Region}}.amazonaws.com")}}


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmNodeRoleProps(Tagged):
    """What the machines of a Slurm cluster may do, under either control plane.

    Attributes:
        cluster_name: Scopes the log groups that the agents write to.
        parameter_names: SSM parameters that scripts of the machines read, with the slash that they begin
            with. None by default.
        directory_bucket_names: Directory buckets that the machines read and write. None by default.
        remote_write_workspace_arn: Prometheus workspace that the machines send metrics to. None by default.
        metrics: What they may read for their metrics. None: nothing.
        access: What they need for people and sessions. None: nothing.
        images: Images of the account's registry that they pull. None: none.
    """

    cluster_name: str
    parameter_names: Sequence[str] = ()
    directory_bucket_names: Sequence[str] = ()
    remote_write_workspace_arn: str | None = None
    metrics: NodeMetricsAccess | None = None
    access: NodeAccess | None = None
    images: NodeImageAccess | None = None


def log_statement(log_groups: str) -> dict[str, Any]:
    """Logs of the machines' agents, in log groups whose names start so."""
    place = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:"
    write = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"]
    return statement(write, sub(f"{place}{log_groups}/*"), sid="Logs")


def metric_statement(namespace: str) -> dict[str, Any]:
    """Metrics of the machines' agents, which take no resource."""
    condition = {"StringEquals": {"cloudwatch:namespace": namespace}}
    return statement(["cloudwatch:PutMetricData"], "*", sid="Metrics", condition=condition)


def session_statement() -> dict[str, Any]:
    """Sessions of Session Manager; the channels take no resource."""
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
    """The scripts. GetObject works on objects, not on the bucket (HYPERPOD-06).

    The key statement serves a bootstrap bucket with a customer-managed key, whose ARN nothing here knows: any
    key of the account, but only through S3 and only for this bucket's objects.
    """
    bucket = {"Bucket": bucket_name}
    folder = f"{prefix}/" if prefix else ""
    bucket_arn = {"Fn::Sub": ["arn:${AWS::Partition}:s3:::${Bucket}", bucket]}
    # every version of the scripts: during an update machines still boot with the one before
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
    """Parameters that scripts read, directory buckets, and the workspace that metrics go to."""
    parameters = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter"
    names = [sub(f"{parameters}{name}") for name in sorted(set(props.parameter_names))]
    place = "arn:${AWS::Partition}:s3express:${AWS::Region}:${AWS::AccountId}:bucket/${Name}"
    buckets = [{"Fn::Sub": [place, {"Name": name}]} for name in props.directory_bucket_names]
    return [
        *allowed(["ssm:GetParameter"], names, sid="ReadParameters"),
        # one permission for reading and writing: each session states which it is for
        *allowed(["s3express:CreateSession"], buckets, sid="DirectoryBuckets"),
        *allowed(["aps:RemoteWrite"], props.remote_write_workspace_arn, sid="RemoteWrite"),
    ]
