"""The role that HyperPod machines run with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodExecutionRoleProps:
    """What the machines of one HyperPod cluster may do.

    Attributes:
        cluster_name: Scopes the log groups (`/aws/sagemaker/Clusters/<cluster_name>/...`).
        scripts_bucket_name: Bucket of the lifecycle scripts.
        scripts_prefix: Prefix of the lifecycle scripts within it, without slashes at its ends.
        volume_key_arns: KMS keys of root and secondary volumes. None by default.
        describe_file_systems: Whether machines may ask FSx whether a file system has EFA, without which an EFA file
            system is silently mounted over TCP (HYPERPOD-03). False by default.
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


# class HyperPodExecutionRole(Construct): role_arn: str; role_name: str
