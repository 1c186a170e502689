"""An Amazon Managed Service for Prometheus workspace."""

from dataclasses import dataclass

from constructs import Construct

from ultracluster.cfn import Tagged, add_log_group, add_resource, attribute, tag_list
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsWorkspaceProps(Tagged):
    """Properties of an AMP workspace.

    Attributes:
        alias: Name in the console, and the last part of the log group's name
            (`/aws/vendedlogs/prometheus/<alias>`).
        retention_days: Retention of metrics in days, 1 to 1095.
        log_retention_days: Retention of the workspace's log in days.
        retention: Whether the workspace is retained if the stack is deleted.
        late_samples_s: Maximum delay of a sample in seconds. None: the default of AMP.
        alert_manager_definition: Alertmanager configuration as text under the key `alertmanager_config`, as
            AMP requires it. None: alerts are evaluated, but not sent.
        kms_key_arn: ARN of the KMS key of the metrics; a change replaces the workspace. None: the AWS owned
            key.
        log_key_arn: ARN of the KMS key of the log group. None: the key that CloudWatch owns.
    """

    alias: str
    retention_days: int
    log_retention_days: int
    retention: Retention
    late_samples_s: int | None = None
    alert_manager_definition: str | None = None
    kms_key_arn: str | None = None
    log_key_arn: str | None = None


class MetricsWorkspace(Construct):
    """An AMP workspace with a log of its errors.

    Attributes:
        workspace_id: Id of the workspace.
        workspace_arn: ARN of the workspace.
        prometheus_endpoint: URL of the workspace, which ends in `/`; the remote write URL is
            `<endpoint>api/v1/remote_write`.
    """

    def __init__(self, scope: Construct, construct_id: str, props: MetricsWorkspaceProps) -> None:
        """Create the workspace and its log group."""
        super().__init__(scope, construct_id)
        log_group = add_log_group(
            self,
            "LogGroup",
            name=f"/aws/vendedlogs/prometheus/{props.alias}",
            retention_days=props.log_retention_days,
            key_arn=props.log_key_arn,
            tags=props.tags,
        )
        workspace = add_resource(
            self,
            "Resource",
            "AWS::APS::Workspace",
            {
                "Alias": props.alias,
                "AlertManagerDefinition": props.alert_manager_definition,
                "KmsKeyArn": props.kms_key_arn,
                # the service requires the ARN that ends in ":*", as this attribute does
                "LoggingConfiguration": {"LogGroupArn": attribute(log_group, "Arn")},
                "WorkspaceConfiguration": {
                    "RetentionPeriodInDays": props.retention_days,
                    "OutOfOrderTimeWindowInSeconds": props.late_samples_s,
                },
                "Tags": tag_list(props.tags, props.alias),
            },
            retention=props.retention,
        )
        self.workspace_id = attribute(workspace, "WorkspaceId")
        self.workspace_arn = attribute(workspace, "Arn")
        self.prometheus_endpoint = attribute(workspace, "PrometheusEndpoint")
