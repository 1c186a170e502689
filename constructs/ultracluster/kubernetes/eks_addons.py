"""EKS add-ons and pod roles."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_resource, add_service_role, attribute, tag_list


@dataclass(frozen=True, slots=True, kw_only=True)
class EksAddonProps(Tagged):
    """An EKS add-on.

    Attributes:
        cluster_name: The cluster.
        name: Name of the add-on in EKS: `vpc-cni`.
        version: `v1.21.1-eksbuild.7`. None: EKS's current default.
        settings: Settings of the add-on, in the schema that the add-on defines.
        dependencies: Resources that must exist first: nodes, or the role of its pods.
    """

    cluster_name: str
    name: str
    version: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    dependencies: Sequence[IDependable] = ()


class EksAddon(Construct):
    """An EKS add-on, which owns the fields that it sets.

    Attributes:
        resource: The add-on, for the dependencies of other resources.
    """

    def __init__(self, scope: Construct, construct_id: str, props: EksAddonProps) -> None:
        """Create the add-on."""
        super().__init__(scope, construct_id)
        settings = json.dumps(props.settings, sort_keys=True, separators=(",", ":"))
        self.resource = add_resource(
            self,
            "Resource",
            "AWS::EKS::Addon",
            {
                "ClusterName": props.cluster_name,
                "AddonName": props.name,
                "AddonVersion": props.version,
                "ConfigurationValues": settings if props.settings else None,
                "ResolveConflicts": "OVERWRITE",
                "Tags": tag_list(props.tags),
            },
            depends_on=props.dependencies,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PodIdentityProps(Tagged):
    """AWS permissions for the pods of one service account.

    Attributes:
        cluster_name: The cluster.
        namespace: Namespace of the service account.
        service_account: Name of the service account.
        managed_policies: Names of AWS managed policies.
        statements: Further statements.
    """

    cluster_name: str
    namespace: str
    service_account: str
    managed_policies: Sequence[str] = ()
    statements: Sequence[Mapping[str, Any]] = ()


class PodIdentity(Construct):
    """A role for the pods of one service account (EKS Pod Identity), with a separate association.

    The association is separate because the metadata of some add-ons declares that they need no permissions,
    and EKS rejects an association in the request that creates the add-on (HYPERPOD-02).

    Attributes:
        role_arn: The role.
        association: The association, for the dependencies of other resources.
    """

    def __init__(self, scope: Construct, construct_id: str, props: PodIdentityProps) -> None:
        """Create the role and the association."""
        super().__init__(scope, construct_id)
        role = add_service_role(
            self,
            "Role",
            service="pods.eks.amazonaws.com",
            description=f"Pods of {props.namespace}/{props.service_account}",
            statements=props.statements,
            tags=props.tags,
            managed_policies=props.managed_policies,
            actions=("sts:AssumeRole", "sts:TagSession"),
        )
        self.role_arn = attribute(role, "Arn")
        self.association = add_resource(
            self,
            "Association",
            "AWS::EKS::PodIdentityAssociation",
            {
                "ClusterName": props.cluster_name,
                "Namespace": props.namespace,
                "ServiceAccount": props.service_account,
                "RoleArn": self.role_arn,
                "Tags": tag_list(props.tags),
            },
        )
