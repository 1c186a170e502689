"""Profile keys of the EKS control plane: endpoint, access, logs, encryption and add-on versions."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import (
    ADDON_VERSION,
    IAM_PRINCIPAL,
    KMS_KEY_ARN,
    KUBERNETES_GROUP,
    KUBERNETES_NAMESPACES,
    WHOLE,
    Cidr,
    Model,
    Sequence,
)

LogType = Literal["api", "audit", "authenticator", "controller-manager", "scheduler"]
LOG_TYPES: tuple[LogType, ...] = ("api", "audit", "authenticator", "controller-manager", "scheduler")
AccessPolicy = Literal["cluster-admin", "admin", "admin-view", "edit", "view"]


class PrivateEndpoint(Model):
    """A Kubernetes API that is reachable only from inside the VPC."""

    kind: Literal["private"]


class PublicEndpoint(Model):
    """A Kubernetes API that is reachable from inside the VPC and from some public addresses."""

    kind: Literal["public"]
    cidrs: Annotated[
        Sequence[Cidr],
        Field(
            min_length=1,
            max_length=40,
            description="Public IPv4 CIDR blocks that can reach the Kubernetes API.",
        ),
    ]


Endpoint = Annotated[PrivateEndpoint | PublicEndpoint, Field(discriminator="kind")]


class NewSecretsKey(Model):
    """A KMS key that the stack creates for the cluster."""

    kind: Literal["new"]


class ExistingSecretsKey(Model):
    """An existing KMS key."""

    kind: Literal["existing"]
    key_arn: Annotated[
        str, Field(pattern=KMS_KEY_ARN, description="ARN of the KMS key, in the cluster's Region.")
    ]


SecretsKey = Annotated[NewSecretsKey | ExistingSecretsKey, Field(discriminator="kind")]


class ControlPlaneLogs(Model):
    """Control plane logs and their retention."""

    types: Annotated[
        Sequence[LogType],
        Field(description="Log types to send to CloudWatch; an empty list disables logging.", max_length=5),
    ] = LOG_TYPES
    retention_days: Annotated[
        Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653],
        WHOLE,
        Field(description="Retention of the logs in days."),
    ] = 90  # fmt: skip


class Access(Model):
    """Rights of one IAM role or user in the cluster (an EKS access entry)."""

    principal: Annotated[
        str,
        Field(
            pattern=IAM_PRINCIPAL,
            max_length=2048,
            description="ARN of the role or user: arn:aws:iam::123456789012:role/researchers.",
        ),
    ]
    policy: Annotated[
        AccessPolicy | None,
        Field(description="EKS access policy: cluster-admin, admin, admin-view, edit or view."),
    ] = None
    namespaces: Annotated[
        Sequence[Annotated[str, Field(pattern=KUBERNETES_NAMESPACES, max_length=63)]],
        Field(
            max_length=100,
            description="Namespaces that the policy applies to; `team-*` matches all names with this prefix. "
            "Default: the whole cluster.",
        ),
    ] = ()
    groups: Annotated[
        Sequence[Annotated[str, Field(pattern=KUBERNETES_GROUP, max_length=63)]],
        Field(max_length=20, description="Kubernetes groups that your own role bindings name."),
    ] = ()


AddonVersions = dict[str, Annotated[str, Field(pattern=ADDON_VERSION)]]
"""Add-on versions by add-on name."""

NO_VERSIONS: AddonVersions = {}
"""Default value of `addon_versions`."""


class ControlPlane(Model):
    """Keys of the EKS cluster that both Kubernetes control planes have."""

    endpoint: Annotated[
        Endpoint,
        Field(description="Networks that can reach the Kubernetes API. Nodes always use it inside the VPC."),
    ] = PrivateEndpoint.model_construct(kind="private")
    secrets_key: Annotated[
        SecretsKey | None,
        Field(
            description="KMS key for an additional encryption of Kubernetes secrets. Changing the key replaces the "
            "cluster. Default: only the encryption that EKS provides."
        ),
    ] = None
    control_plane_logs: Annotated[
        ControlPlaneLogs, Field(description="Control plane logs in CloudWatch.")
    ] = ControlPlaneLogs.model_construct()
    support: Annotated[
        Literal["standard", "extended"],
        Field(
            description="Upgrade policy after 14 months of standard support. `standard`: EKS upgrades the cluster "
            "automatically; `extended`: the version is supported for 12 more months, at a higher price."
        ),
    ] = "extended"
    access: Annotated[
        Sequence[Access],
        Field(max_length=500, description="IAM principals that can use the cluster, with their rights."),
    ] = ()
    deployer_access: Annotated[
        bool,
        Field(
            description="True: principals that can deploy the stack (through CDK's deploy role) also administer "
            "the cluster."
        ),
    ] = True
    deletion_protection: Annotated[
        bool,
        Field(
            description="True: EKS rejects deletion of the cluster, and of the stack, until this is false."
        ),
    ] = False
    addon_versions: Annotated[
        AddonVersions,
        Field(
            description="Versions of EKS add-ons by name, which replace the pinned versions: `coredns: "
            "v1.14.3-eksbuild.3`."
        ),
    ] = NO_VERSIONS
