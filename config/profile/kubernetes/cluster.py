"""The control plane of Amazon EKS as a profile states it: who reaches it, who may use it, what it keeps."""

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
    """The Kubernetes API answers inside the VPC alone."""

    kind: Literal["private"]


class PublicEndpoint(Model):
    """The Kubernetes API answers inside the VPC, and some addresses outside of it."""

    kind: Literal["public"]
    cidrs: Annotated[
        Sequence[Cidr],
        Field(min_length=1, max_length=40, description="IPv4 blocks that reach it from outside of the VPC."),
    ]


Endpoint = Annotated[PrivateEndpoint | PublicEndpoint, Field(discriminator="kind")]


class NewSecretsKey(Model):
    """A KMS key of the cluster's own."""

    kind: Literal["new"]


class ExistingSecretsKey(Model):
    """A KMS key that exists already."""

    kind: Literal["existing"]
    key_arn: Annotated[
        str, Field(pattern=KMS_KEY_ARN, description="ARN of the key, in the cluster's Region.")
    ]


SecretsKey = Annotated[NewSecretsKey | ExistingSecretsKey, Field(discriminator="kind")]


class ControlPlaneLogs(Model):
    """Which logs of the control plane are kept, and for how long."""

    types: Annotated[
        Sequence[LogType], Field(description="Logs that are kept; an empty list: none.", max_length=5)
    ] = LOG_TYPES
    retention_days: Annotated[
        Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653],
        WHOLE,
        Field(description="Days that they are kept."),
    ] = 90  # fmt: skip


class Access(Model):
    """What one IAM role or user may do in the cluster (an access entry of EKS)."""

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
        Field(description="Access policy of EKS: cluster-admin, admin, admin-view, edit or view."),
    ] = None
    namespaces: Annotated[
        Sequence[Annotated[str, Field(pattern=KUBERNETES_NAMESPACES, max_length=63)]],
        Field(
            max_length=100,
            description="Namespaces that the policy is for, `team-*` for all that begin so; default: the whole cluster.",
        ),
    ] = ()
    groups: Annotated[
        Sequence[Annotated[str, Field(pattern=KUBERNETES_GROUP, max_length=63)]],
        Field(max_length=20, description="Groups that role bindings of your own name."),
    ] = ()


AddonVersions = dict[str, Annotated[str, Field(pattern=ADDON_VERSION)]]
"""Versions by the name of the add-on."""

NO_VERSIONS: AddonVersions = {}
"""What a profile states that states none."""


class ControlPlane(Model):
    """What both Kubernetes control planes have in common: the cluster of EKS itself."""

    endpoint: Annotated[
        Endpoint,
        Field(description="Who reaches the Kubernetes API; nodes always do, inside the VPC."),
    ] = PrivateEndpoint.model_construct(kind="private")
    secrets_key: Annotated[
        SecretsKey | None,
        Field(
            description="KMS key that encrypts Kubernetes secrets once more; another key is another cluster. Default: "
            "EKS's own key alone."
        ),
    ] = None
    control_plane_logs: Annotated[
        ControlPlaneLogs, Field(description="Logs of the control plane in CloudWatch.")
    ] = ControlPlaneLogs.model_construct()
    support: Annotated[
        Literal["standard", "extended"],
        Field(
            description="When a version's 14 months of standard support end: `standard`, EKS upgrades the cluster by "
            "itself; `extended`, it stays for 12 months more and costs more."
        ),
    ] = "extended"
    access: Annotated[
        Sequence[Access],
        Field(max_length=500, description="People and roles that may use the cluster, and how."),
    ] = ()
    deployer_access: Annotated[
        bool,
        Field(
            description="True: who can deploy the stack (through CDK's deploy role) administers the cluster too."
        ),
    ] = True
    deletion_protection: Annotated[
        bool,
        Field(
            description="True: EKS refuses to delete the cluster, and with it the stack, until this is false."
        ),
    ] = False
    addon_versions: Annotated[
        AddonVersions,
        Field(
            description="Versions of EKS add-ons by name, in the place of those that are pinned: `coredns: v1.14.3-eksbuild.3`."
        ),
    ] = NO_VERSIONS
