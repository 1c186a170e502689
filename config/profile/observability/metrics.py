"""Profile models for the key `observability`: metrics, Grafana and their collection."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import (
    DOWNLOADS,
    GRAFANA_VERSION,
    KMS_KEY_ARN,
    PREFIX_LIST_ID,
    REGION,
    SECRET_ARN,
    SECURITY_GROUP_ID,
    SUBNET_ID,
    URL,
    VPC_ENDPOINT_ID,
    Model,
    Sequence,
)
from config.profile.observability.alerts import Alerts, Repair


class ManagedPrometheus(Model):
    """A workspace of Amazon Managed Service for Prometheus (AMP)."""

    kind: Literal["managed"]
    retention_days: Annotated[int, Field(ge=1, le=1095, description="Retention of metrics in days.")] = 150
    kms_key_arn: Annotated[
        str | None,
        Field(
            pattern=KMS_KEY_ARN,
            description="Customer managed KMS key of the metrics. A change replaces the workspace.",
        ),
    ] = None
    late_samples_s: Annotated[
        int,
        Field(
            ge=0,
            le=86400,
            description="Maximum delay of a sample in seconds. Agents that lost their connection send stored samples later.",
        ),
    ] = 600


class NoAuthentication(Model):
    """No authentication: every client that reaches the address may write."""

    kind: Literal["none"]


class Sigv4Authentication(Model):
    """Signature Version 4 with the role of the node."""

    kind: Literal["sigv4"]
    region: Annotated[
        str | None,
        Field(
            pattern=REGION,
            description="Region of the signature; default: the Region in the AMP address, or else the profile's Region.",
        ),
    ] = None


class SecretAuthentication(Model):
    """User name and password from Secrets Manager: `{"username": ..., "password": ...}`."""

    kind: Literal["secret"]
    secret_arn: Annotated[str, Field(pattern=SECRET_ARN, description="ARN of the secret.")]


Authentication = Annotated[
    NoAuthentication | Sigv4Authentication | SecretAuthentication, Field(discriminator="kind")
]


class ExistingPrometheus(Model):
    """An existing Prometheus, or another server that accepts remote write and Prometheus queries."""

    kind: Literal["existing"]
    remote_write_url: Annotated[
        str, Field(pattern=URL, description="URL that samples are sent to (remote write).")
    ]
    query_url: Annotated[
        str | None,
        Field(
            pattern=URL,
            description="URL that Grafana queries, without `/api/v1/query`; required for dashboards.",
        ),
    ] = None
    authentication: Annotated[
        Authentication, Field(description="Authentication of remote write requests; default: none.")
    ] = NoAuthentication.model_construct(kind="none")


Prometheus = Annotated[ManagedPrometheus | ExistingPrometheus, Field(discriminator="kind")]


class SamlRoles(Model):
    """Grafana roles of users, by the values of a SAML attribute."""

    metadata_url: Annotated[str, Field(pattern=URL, description="URL of the identity provider's metadata.")]
    role_attribute: Annotated[
        str, Field(min_length=1, max_length=256, description="SAML attribute that contains the role.")
    ] = "role"
    admins: Annotated[
        Sequence[str], Field(min_length=1, max_length=256, description="Attribute values of administrators.")
    ]
    editors: Annotated[Sequence[str], Field(max_length=256, description="Attribute values of editors.")] = ()


class ManagedGrafana(Model):
    """A workspace of Amazon Managed Grafana (AMG) with the dashboards of ultracluster."""

    kind: Literal["managed"]
    authentication: Annotated[
        Literal["saml", "identity-center"],
        Field(
            description="saml: works in any account, and you can set the identity provider after the deployment; "
            "identity-center: requires IAM Identity Center in the organization."
        ),
    ] = "saml"
    saml: Annotated[
        SamlRoles | None,
        Field(
            description="Identity provider; default: you set it after the deployment, since it needs the workspace's URL."
        ),
    ] = None
    version: Annotated[
        str | None,
        Field(
            pattern=GRAFANA_VERSION,
            description="Grafana version; you can raise it later but never lower it.",
        ),
    ] = None
    region: Annotated[
        str | None,
        Field(pattern=REGION, description="Region of the workspace; default: the profile's Region."),
    ] = None
    prefix_list_ids: Annotated[
        Sequence[Annotated[str, Field(pattern=PREFIX_LIST_ID)]],
        Field(
            max_length=5,
            description="Prefix lists whose addresses may open Grafana; default: all addresses.",
        ),
    ] = ()
    vpc_endpoint_ids: Annotated[
        Sequence[Annotated[str, Field(pattern=VPC_ENDPOINT_ID)]],
        Field(max_length=5, description="VPC endpoints through which users may open Grafana."),
    ] = ()
    subnet_ids: Annotated[
        Sequence[Annotated[str, Field(pattern=SUBNET_ID)]],
        Field(
            max_length=6,
            description="Subnets through which Grafana reaches data sources in your VPC; at least two.",
        ),
    ] = ()
    security_group_ids: Annotated[
        Sequence[Annotated[str, Field(pattern=SECURITY_GROUP_ID)]],
        Field(max_length=5, description="Security groups of Grafana in these subnets."),
    ] = ()


class ExistingGrafana(Model):
    """An existing Grafana, version 10.4 or newer, that dashboards and data sources are loaded into."""

    kind: Literal["existing"]
    url: Annotated[
        str, Field(pattern=URL, description="URL of Grafana; a Lambda function must be able to reach it.")
    ]
    token_secret_arn: Annotated[
        str,
        Field(
            pattern=SECRET_ARN,
            description="ARN of the secret with the token of a service account that may edit dashboards and data sources.",
        ),
    ]
    version: Annotated[
        str,
        Field(
            pattern=GRAFANA_VERSION,
            description="Version of your Grafana; the type of the data sources depends on it.",
        ),
    ] = "12.4"


Grafana = Annotated[ManagedGrafana | ExistingGrafana, Field(discriminator="kind")]


class Collection(Model):
    """Collector, interval and selection of metrics."""

    collector: Annotated[
        Literal["managed", "agent", "none"] | None,
        Field(
            description="managed: the AMP managed collector, only with Kubernetes. agent: Prometheus in agent mode, on each node "
            "with Slurm and in the cluster with Kubernetes. none: ultracluster collects no metrics. Default: managed with "
            "Kubernetes and AMP, none with HyperPod's observability add-on, otherwise agent."
        ),
    ] = None
    interval_s: Annotated[int, Field(ge=15, le=300, description="Seconds between two samples.")] = 30
    profiling: Annotated[
        bool,
        Field(
            description="DCGM's profiling metrics (activity of tensor cores and memory). Set it to false if users profile "
            "their jobs, since only one program at a time can profile a GPU."
        ),
    ] = True
    application_port: Annotated[
        int,
        Field(ge=1024, le=65535, description="Port on a node where a training job serves its own metrics."),
    ] = 9464
    downloads: Annotated[
        str | None,
        Field(
            pattern=DOWNLOADS,
            description="Location from which nodes download the exporters' archives, for a network without internet access: "
            "an https or s3 URL that contains the files under their original names.",
        ),
    ] = None


class Observability(Model):
    """Metrics, dashboards, alerts and logs."""

    prometheus: Annotated[Prometheus | None, Field(description="Prometheus that stores the metrics.")] = None
    grafana: Annotated[Grafana | None, Field(description="Grafana that shows the dashboards.")] = None
    collection: Annotated[Collection, Field(description="Collection of metrics.")] = (
        Collection.model_construct()
    )
    alerts: Annotated[Alerts, Field(description="Alerts and their receivers.")] = Alerts.model_construct()
    repair: Annotated[Repair, Field(description="Repair of faulty nodes.")] = Repair.model_construct()
    log_retention_days: Annotated[
        int, Field(description="Retention of the cluster's log groups in days.")
    ] = 90
