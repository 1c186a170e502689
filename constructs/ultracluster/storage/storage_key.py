"""A KMS key for one purpose."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageKeyProps:
    """What a key is for.

    Attributes:
        alias: Name without the `alias/` prefix, unique in the account and Region.
        description: Says what the key encrypts.
        retention: Whether the key outlives the stack, as it must wherever what it encrypts does.
        fsx_data_repositories: Whether FSx may use the key through S3 for buckets linked to a Lustre file system.
            False by default.
        log_group_name_prefix: CloudWatch Logs may use the key for log groups whose names start so. None: it may not.
        tags: Tags of the key.
    """

    alias: str
    description: str
    retention: Retention
    fsx_data_repositories: bool = False
    log_group_name_prefix: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


# class StorageKey(Construct): key_arn: str; key_id: str
