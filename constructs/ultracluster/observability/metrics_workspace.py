"""An Amazon Managed Service for Prometheus workspace."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsWorkspaceProps:
    """Where metrics are kept, and for how long.

    Attributes:
        alias: Shown in the console, and the last part of the log group's name (`/aws/vendedlogs/prometheus/<alias>`).
        retention_days: How long metrics are kept, 1 to 1095.
        log_retention_days: How long CloudWatch keeps the workspace's own log.
        retention: Whether the workspace outlives the stack.
        kms_key_arn: KMS key of the metrics; changing it replaces the workspace. None: the service's key.
        log_key_arn: KMS key of the log group. None: the key that CloudWatch owns.
        tags: Tags of workspace and log group.
    """

    alias: str
    retention_days: int
    log_retention_days: int
    retention: Retention
    kms_key_arn: str | None = None
    log_key_arn: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


# class MetricsWorkspace(Construct): workspace_id: str; workspace_arn: str; prometheus_endpoint: str (ends with "/")
