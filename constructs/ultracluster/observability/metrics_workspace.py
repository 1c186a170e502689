"""An Amazon Managed Service for Prometheus workspace."""

from dataclasses import dataclass

from constructs import Construct

from ultracluster.cfn import Tagged, add_log_group, add_resource, attribute, tag_list
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsWorkspaceProps(Tagged):
    """Where metrics are kept, and for how long.

    Attributes:
        alias: Shown in the console, and the last part of the log group's name
            (`/aws/vendedlogs/prometheus/<alias>`).
        retention_days: How long metrics are kept, 1 to 1095.
        log_retention_days: How long CloudWatch keeps the workspace's own log.
        retention: Whether the workspace outlives the stack.
        late_samples_s: How late a sample may come and still be taken, in seconds. None: AMP's own limit.
        alert_manager_definition: Who is told of alerts: the text of an Alertmanager file under the key
            `alertmanager_config`, as AMP wants it. None: alerts are evaluated, and nobody is told.
        kms_key_arn: KMS key of the metrics; changing it replaces the workspace. None: the service's key.
        log_key_arn: KMS key of the log group. None: the key that CloudWatch owns.
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
    """A Prometheus workspace that logs what it rejects.

    Attributes:
        workspace_id: The workspace.
        workspace_arn: Its ARN.
        prometheus_endpoint: Its URL, which ends in `/`: remote write goes to `<endpoint>api/v1/remote_write`.
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
                # the service wants the ARN that ends in ":*", which this attribute does
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
