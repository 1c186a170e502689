"""What is loaded into a Grafana, as a resource of the stack."""

from collections.abc import Sequence
from dataclasses import dataclass

from constructs import Construct, IDependable

from ultracluster.cfn import add_resource
from ultracluster.observability.grafana_loader import SERVICE_TIMEOUT_S, GrafanaLoader


@dataclass(frozen=True, slots=True, kw_only=True)
class GrafanaContentProps:
    """What is loaded where.

    Attributes:
        loader: The function.
        workspace_id: The workspace. None: `url`.
        workspace_region: Its Region.
        url: Address of a Grafana of one's own.
        token_secret_arn: Secret with a token for it.
        prometheus_url: What the Prometheus data source asks. None: there is none.
        prometheus_secret_arn: Secret with its user and password. None: it asks for none.
        after: What must be there first.
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
    """Data sources, folder and dashboards in a Grafana, as they are generated.

    For the few seconds that loading takes it makes a service account in the workspace and deletes it again.
    What it loaded it deletes when the resource goes; what others made it never touches, and a workspace that
    is gone is no reason for a stack to fail.
    """

    def __init__(self, scope: Construct, construct_id: str, props: GrafanaContentProps) -> None:
        """Load; raises ValueError where neither a workspace nor an address is given."""
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
