"""The observability part of a profile: where metrics go, who is told, and what is done with faulty nodes."""

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
    retention_days: Annotated[int, Field(ge=1, le=1095, description="Days that metrics are kept.")] = 150
    kms_key_arn: Annotated[
        str | None,
        Field(pattern=KMS_KEY_ARN, description="Key of the metrics; another one replaces the workspace."),
    ] = None
    late_samples_s: Annotated[
        int,
        Field(
            ge=0,
            le=86400,
            description="How late a sample may come, in seconds: agents that lost their connection send what they kept.",
        ),
    ] = 600


class NoAuthentication(Model):
    """Whoever reaches the address may write."""

    kind: Literal["none"]


class Sigv4Authentication(Model):
    """Requests are signed with the node's role."""

    kind: Literal["sigv4"]
    region: Annotated[
        str | None, Field(pattern=REGION, description="Default: that of AMP's address, or the profile's.")
    ] = None


class SecretAuthentication(Model):
    """A user name and a password, from Secrets Manager: `{"username": ..., "password": ...}`."""

    kind: Literal["secret"]
    secret_arn: Annotated[str, Field(pattern=SECRET_ARN, description="The secret.")]


Authentication = Annotated[
    NoAuthentication | Sigv4Authentication | SecretAuthentication, Field(discriminator="kind")
]


class ExistingPrometheus(Model):
    """A Prometheus of your own, or anything that takes remote write and answers its queries."""

    kind: Literal["existing"]
    remote_write_url: Annotated[str, Field(pattern=URL, description="Where samples are sent.")]
    query_url: Annotated[
        str | None,
        Field(pattern=URL, description="What Grafana asks; needed for dashboards. Without `/api/v1/query`."),
    ] = None
    authentication: Annotated[
        Authentication, Field(description="How requests to it are let in; default: as they are.")
    ] = NoAuthentication.model_construct(kind="none")


Prometheus = Annotated[ManagedPrometheus | ExistingPrometheus, Field(discriminator="kind")]


class SamlRoles(Model):
    """Who is what in Grafana, by the values of one attribute of the identity provider."""

    metadata_url: Annotated[str, Field(pattern=URL, description="The identity provider's metadata.")]
    role_attribute: Annotated[
        str, Field(min_length=1, max_length=256, description="Attribute that holds the role.")
    ] = "role"
    admins: Annotated[
        Sequence[str], Field(min_length=1, max_length=256, description="Values of administrators.")
    ]
    editors: Annotated[Sequence[str], Field(max_length=256, description="Values of editors.")] = ()


class ManagedGrafana(Model):
    """A workspace of Amazon Managed Grafana (AMG), with our dashboards in it."""

    kind: Literal["managed"]
    authentication: Annotated[
        Literal["saml", "identity-center"],
        Field(
            description="saml: works in any account, the identity provider is set afterwards; identity-center: "
            "needs IAM Identity Center in the organization."
        ),
    ] = "saml"
    saml: Annotated[
        SamlRoles | None,
        Field(
            description="The identity provider; default: set afterwards, since it asks for the workspace's address."
        ),
    ] = None
    version: Annotated[
        str | None,
        Field(
            pattern=GRAFANA_VERSION,
            description="Version of Grafana; it can be raised later but never lowered.",
        ),
    ] = None
    region: Annotated[
        str | None,
        Field(pattern=REGION, description="Where the workspace is, if not in the profile's Region."),
    ] = None
    prefix_list_ids: Annotated[
        Sequence[Annotated[str, Field(pattern=PREFIX_LIST_ID)]],
        Field(
            max_length=5,
            description="Prefix lists that may open Grafana; default: everybody who can sign in.",
        ),
    ] = ()
    vpc_endpoint_ids: Annotated[
        Sequence[Annotated[str, Field(pattern=VPC_ENDPOINT_ID)]],
        Field(max_length=5, description="VPC endpoints that Grafana may be opened through."),
    ] = ()
    subnet_ids: Annotated[
        Sequence[Annotated[str, Field(pattern=SUBNET_ID)]],
        Field(
            max_length=6,
            description="Subnets from which it reaches data sources in your network; two at least.",
        ),
    ] = ()
    security_group_ids: Annotated[
        Sequence[Annotated[str, Field(pattern=SECURITY_GROUP_ID)]],
        Field(max_length=5, description="Their security groups."),
    ] = ()


class ExistingGrafana(Model):
    """A Grafana of your own, 10.4 or newer: dashboards and data sources are loaded into it."""

    kind: Literal["existing"]
    url: Annotated[str, Field(pattern=URL, description="Its address, which a Lambda function reaches.")]
    token_secret_arn: Annotated[
        str,
        Field(
            pattern=SECRET_ARN,
            description="Secret with the token of a service account that may edit dashboards and data sources.",
        ),
    ]
    version: Annotated[
        str, Field(pattern=GRAFANA_VERSION, description="Its version: data sources go by it.")
    ] = "12.4"


Grafana = Annotated[ManagedGrafana | ExistingGrafana, Field(discriminator="kind")]


class Collection(Model):
    """How often metrics are collected, by what, and which."""

    collector: Annotated[
        Literal["managed", "agent", "none"] | None,
        Field(
            description="managed: AMP's collector, for Kubernetes; agent: Prometheus in agent mode, on each node under "
            "Slurm and in the cluster under Kubernetes; none: nothing of ours. Default: managed under Kubernetes with "
            "AMP, none beside HyperPod's own collectors, else agent."
        ),
    ] = None
    interval_s: Annotated[int, Field(ge=15, le=300, description="Seconds between two samples.")] = 30
    profiling: Annotated[
        bool,
        Field(
            description="DCGM's profiling metrics (how busy tensor cores and memory are); false where users profile "
            "their jobs, since one GPU has one profiler at a time."
        ),
    ] = True
    application_port: Annotated[
        int,
        Field(ge=1024, le=65535, description="Port of a node where a training job shows its own metrics."),
    ] = 9464
    downloads: Annotated[
        str | None,
        Field(
            pattern=DOWNLOADS,
            description="Where nodes get the exporters' archives, for a network that does not reach their releases: "
            "a https address or a bucket with the files under their own names.",
        ),
    ] = None


class Observability(Model):
    """Metrics, dashboards, alerts and logs."""

    prometheus: Annotated[Prometheus | None, Field(description="Where metrics are kept.")] = None
    grafana: Annotated[Grafana | None, Field(description="Where dashboards are.")] = None
    collection: Annotated[Collection, Field(description="How metrics are collected.")] = (
        Collection.model_construct()
    )
    alerts: Annotated[Alerts, Field(description="Who is told what.")] = Alerts.model_construct()
    repair: Annotated[Repair, Field(description="What is done with faulty nodes.")] = Repair.model_construct()
    log_retention_days: Annotated[int, Field(description="Days that the cluster's log groups are kept.")] = 90
