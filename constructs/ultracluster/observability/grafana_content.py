"""Custom resource that loads data sources and dashboards into a Grafana."""

from collections.abc import Sequence
from dataclasses import dataclass

from constructs import Construct, IDependable

from ultracluster.cfn import add_resource
from ultracluster.observability.grafana_loader import SERVICE_TIMEOUT_S, GrafanaLoader


@dataclass(frozen=True, slots=True, kw_only=True)
class GrafanaContentProps:
    """Properties of the content of a Grafana.

    Attributes:
        loader: Lambda function that loads the content.
        workspace_id: Id of the workspace. None if `url` is set.
        workspace_region: Region of the workspace.
        url: URL of an existing Grafana.
        token_secret_arn: ARN of the secret with a token for that Grafana.
        prometheus_url: URL that the Prometheus data source queries. None if there is no such data source.
        prometheus_secret_arn: ARN of the secret with the user name and password for Prometheus. None if
            Prometheus does not require them.
        after: Constructs that must be created first.
    """

    loader: GrafanaLoader
    workspace_id: str | None = None
    workspace_region: str | None = None
    url: str | None = None
    token_secret_arn: str | None = None
    prometheus_url: str | None = None
    prometheus_secret_arn: str | None = None
    after: Sequence[IDependable] = ()


class GrafanaContent(Construct):
    """Data sources, folder and generated dashboards in a Grafana.

    The loader function uses a temporary service account in the workspace. If the resource is deleted, the
    loaded objects are deleted too. Objects of other users are never changed. If the workspace no longer
    exists, the deletion succeeds.
    """

    def __init__(self, scope: Construct, construct_id: str, props: GrafanaContentProps) -> None:
        """Load the content; raises ValueError unless exactly one of workspace_id and url is set."""
        super().__init__(scope, construct_id)
        if (props.workspace_id is None) == (props.url is None):
            raise ValueError("set `workspace_id` or `url`, and not both")
        add_resource(
            self,
            "Resource",
            "Custom::GrafanaContent",
            {
                "ServiceToken": props.loader.function_arn,
                "ServiceTimeout": SERVICE_TIMEOUT_S,
                "WorkspaceId": props.workspace_id,
                "Region": props.workspace_region,
                "Url": props.url,
                "TokenSecretArn": props.token_secret_arn,
                "PrometheusUrl": props.prometheus_url,
                "PrometheusSecretArn": props.prometheus_secret_arn,
                "ContentHash": props.loader.content_hash,
            },
            depends_on=props.after,
        )
