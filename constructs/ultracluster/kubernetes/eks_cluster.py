"""Amazon EKS control plane and its access entries."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_eks_v2 as eks
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_log_group, add_resource, add_service_role, allowed, attribute

_BARRIER = "KubectlReadyBarrier"
_ON_EVENT = "framework-onEvent"
"""Construct id of the CDK resource that all charts and manifests of the cluster depend on."""
_UNTAGGED = "Annotation::@aws-cdk/aws-eks:clusterMustManuallyTagSubnet"


@dataclass(frozen=True, slots=True, kw_only=True)
class EksClusterProps(Tagged):
    """Properties of an EKS control plane.

    Attributes:
        cluster_name: At most 100 characters. Fixed at creation.
        kubernetes_version: `1.35`. Can only be raised by one minor version at a time.
        vpc_id: The VPC.
        subnet_ids: Subnets of EKS's network interfaces, in at least two zones. Later subnets must be in the
            same zones.
        security_group_id: A security group of these interfaces, in addition to the one that EKS creates.
        public_access_cidrs: IPv4 CIDR blocks that can reach the Kubernetes API from outside the VPC. None:
            the API is reachable only from inside the VPC.
        secrets_key_arn: KMS key for an additional encryption of secrets. None: only EKS's own encryption.
            Fixed at creation.
        log_types: Control plane logs: `api`, `audit`, `authenticator`, `controllerManager`, `scheduler`.
        log_retention_days: Retention of the logs.
        support_type: Whether EKS upgrades the cluster automatically when standard support ends.
        deletion_protection: Whether EKS rejects the deletion of the cluster.
        kubectl_layer: The layer with kubectl and Helm. None: the stack cannot install objects in the cluster.
        kubectl_subnet_ids: Subnets of the kubectl function. Default: those of the control plane.
        kubectl_dependencies: Routes and endpoints through which the kubectl function reaches EKS, if no
            property refers to them. They are deleted after all contents of the cluster.
        dependencies: Resources that must exist first, if no property refers to them.
        metadata: CloudFormation metadata of the cluster, by key.
    """

    cluster_name: str
    kubernetes_version: str
    vpc_id: str
    subnet_ids: Sequence[str]
    security_group_id: str
    public_access_cidrs: Sequence[str] | None = None
    secrets_key_arn: str | None = None
    log_types: Sequence[str] = ()
    log_retention_days: int = 90
    support_type: Literal["STANDARD", "EXTENDED"] = "EXTENDED"
    deletion_protection: bool = False
    kubectl_layer: lambda_.ILayerVersion | None = None
    kubectl_subnet_ids: Sequence[str] = ()
    kubectl_dependencies: Sequence[IDependable] = ()
    dependencies: Sequence[IDependable] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


class EksCluster(Construct):
    """An EKS cluster without nodes and add-ons. Its creator has no rights in the cluster.

    Only access entries grant rights (HYPERPOD-34). EKS does not install its default network add-ons; install
    add-ons with pinned versions instead.

    Attributes:
        cluster: The cluster, to which CDK adds charts and manifests.
        cluster_name: Name of the cluster, as a token that depends on the cluster.
        cluster_arn: ARN of the cluster.
        cluster_security_group_id: The security group that EKS creates, whose members reach the API.
        issuer_url: URL of the token issuer of the cluster's service accounts.
    """

    def __init__(self, scope: Construct, construct_id: str, props: EksClusterProps) -> None:
        """Create the cluster with its role and its log group."""
        super().__init__(scope, construct_id)
        if len(props.subnet_ids) < 2:
            raise ValueError(
                f"subnet_ids {list(props.subnet_ids)} are in fewer than two zones: pass subnets in at "
                "least two zones"
            )
        role_arn = self._role(props)
        cluster = self._cluster(props, role_arn)
        # the class has all attributes of the interface, but jsii's type information lacks them
        self.cluster = cast(eks.ICluster, cluster)
        resource = cluster.node.default_child
        assert isinstance(resource, cdk.CfnResource)
        self._complete(resource, props)
        for key, value in props.tags.items():
            # resources that CDK adds itself: kubectl functions, their roles and logs, an access entry
            cdk.Tags.of(cluster).add(key, value)
        if barrier := cluster.node.try_find_child(_BARRIER):
            cast(cdk.CfnResource, barrier).add_property_override("Tags", dict(sorted(props.tags.items())))
            barrier.node.add_dependency(*_kubectl_logs(cluster), *props.kubectl_dependencies)
        self.cluster_name = resource.ref
        self.cluster_arn = attribute(resource, "Arn")
        self.cluster_security_group_id = attribute(resource, "ClusterSecurityGroupId")
        self.issuer_url = attribute(resource, "OpenIdConnectIssuerUrl")

    def _role(self, props: EksClusterProps) -> str:
        """Create the role of the control plane.

        AmazonEKSClusterPolicy allows ec2:DescribeInstanceTopology, which provides the nodes' network labels.
        Source: https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonEKSClusterPolicy.html
        """
        encrypt = ["kms:CreateGrant", "kms:Decrypt", "kms:DescribeKey", "kms:Encrypt"]
        role = add_service_role(
            self,
            "Role",
            service="eks.amazonaws.com",
            description=f"Control plane of the cluster {props.cluster_name}",
            statements=allowed(encrypt, props.secrets_key_arn, sid="Secrets"),
            tags=props.tags,
            source_account_condition=False,
            managed_policies=("AmazonEKSClusterPolicy",),
        )
        return attribute(role, "Arn")

    def _cluster(self, props: EksClusterProps, role_arn: str) -> eks.Cluster:
        subnets = self._subnets("Subnet", props.subnet_ids)
        layer = props.kubectl_layer
        kubectl = None
        if layer is not None:
            private = self._subnets("Kubectl", props.kubectl_subnet_ids) or subnets
            kubectl = eks.KubectlProviderOptions(kubectl_layer=layer, private_subnets=private)
        public = props.public_access_cidrs
        return eks.Cluster(
            self,
            "Cluster",
            cluster_name=props.cluster_name,
            version=eks.KubernetesVersion.of(props.kubernetes_version),
            # CDK requires these values with an imported VPC
            vpc=ec2.Vpc.from_vpc_attributes(self, "Vpc", vpc_id=props.vpc_id, availability_zones=["unknown"]),
            vpc_subnets=[ec2.SubnetSelection(subnets=subnets)],
            role=iam.Role.from_role_arn(self, "ClusterRole", role_arn, mutable=False),
            security_group=ec2.SecurityGroup.from_security_group_id(
                self, "Group", props.security_group_id, mutable=False
            ),
            default_capacity_type=eks.DefaultCapacityType.NODEGROUP,
            default_capacity=0,
            endpoint_access=eks.EndpointAccess.PRIVATE
            if public is None
            else eks.EndpointAccess.PUBLIC_AND_PRIVATE.only_from(*public),
            bootstrap_self_managed_addons=False,
            bootstrap_cluster_creator_admin_permissions=False,
            kubectl_provider_options=kubectl,
            output_config_command=False,
            tags=dict(props.tags),
        )

    def _subnets(self, name: str, subnet_ids: Sequence[str]) -> list[ec2.ISubnet]:
        return [
            # CDK warns of an unknown route table, and no code uses its routes
            ec2.Subnet.from_subnet_attributes(
                self, f"{name}{i}", subnet_id=subnet_id, route_table_id="unknown"
            )
            for i, subnet_id in enumerate(subnet_ids)
        ]

    def _complete(self, resource: cdk.CfnResource, props: EksClusterProps) -> None:
        """Set the properties that CDK's cluster does not support."""
        resource.add_property_override("UpgradePolicy", {"SupportType": props.support_type})
        resource.add_property_override("DeletionProtection", props.deletion_protection)
        kept: list[IDependable] = [*props.dependencies]
        if props.secrets_key_arn is not None:
            encrypted = {"Provider": {"KeyArn": props.secrets_key_arn}, "Resources": ["secrets"]}
            resource.add_property_override("EncryptionConfig", [encrypted])
        if props.log_types:
            enabled = [{"Type": kind} for kind in sorted(props.log_types)]
            resource.add_property_override("Logging", {"ClusterLogging": {"EnabledTypes": enabled}})
            # without this log group, EKS would create one that is never deleted
            kept.append(
                add_log_group(
                    self,
                    "Logs",
                    name=f"/aws/eks/{props.cluster_name}/cluster",
                    retention_days=props.log_retention_days,
                    key_arn=None,
                    tags=props.tags,
                )
            )
        if kept:
            resource.node.add_dependency(*kept)
        for key, value in props.metadata.items():
            resource.add_metadata(key, value)
        reason = "the cluster's load balancers name their subnets"
        cdk.Validations.of(self).acknowledge(cdk.Acknowledgment(id=_UNTAGGED, reason=reason))


def _kubectl_logs(cluster: Construct) -> Iterator[Construct]:
    """Yield the log groups of the kubectl functions.

    Lambda would create a missing group at the first call, and the creation of the stack's group would then
    fail (https://github.com/aws/aws-cdk/issues/34612).
    """
    provider = cluster.node.try_find_child("KubectlProvider")
    if provider is not None:
        framework = provider.node.find_child("Provider").node
        for function in (provider.node.find_child("Handler"), framework.find_child(_ON_EVENT)):
            # an app without the CDK's feature flag for log groups has none
            if group := function.node.try_find_child("LogGroup"):
                yield cast(Construct, group)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPolicy:
    """An EKS access policy.

    Attributes:
        name: `AmazonEKSClusterAdminPolicy`.
        namespaces: Namespaces that it applies to. Empty: the whole cluster.
    """

    name: str
    namespaces: Sequence[str] = ()


def add_access_entry(
    scope: Construct,
    construct_id: str,
    *,
    cluster_name: str,
    principal_arn: Any,
    policies: Sequence[AccessPolicy],
    groups: Sequence[str] = (),
    tags: Mapping[str, str],
) -> cdk.CfnResource:
    """Create the access entry of a role or user; EKS accepts one entry for each principal."""
    return add_resource(
        scope,
        construct_id,
        "AWS::EKS::AccessEntry",
        {
            "ClusterName": cluster_name,
            "PrincipalArn": principal_arn,
            "Type": "STANDARD",
            "AccessPolicies": [_policy(policy) for policy in policies] or None,
            "KubernetesGroups": list(groups) or None,
            "Tags": [{"Key": key, "Value": value} for key, value in sorted(tags.items())],
        },
    )


def _policy(policy: AccessPolicy) -> dict[str, Any]:
    names = list(policy.namespaces)
    scope = {"Type": "namespace", "Namespaces": names} if names else {"Type": "cluster"}
    arn = {"Fn::Sub": f"arn:${{AWS::Partition}}:eks::aws:cluster-access-policy/{policy.name}"}
    return {"PolicyArn": arn, "AccessScope": scope}
