"""Orchestration layer for Amazon EKS, with construct props from the plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from constructs import Construct, IDependable

from config.design.kubernetes.cluster import ControlPlanePlan
from config.design.kubernetes.model import AddonPlan, IdentityPlan
from config.design.kubernetes.nodes.groups import EksGroupPlan
from config.design.kubernetes.nodes.karpenter import RELEASE as KARPENTER
from config.design.kubernetes.plan import EksPlan
from config.design.model import Design
from config.design.nodes.user_data import eks_user_data
from stacks.access.people import node_access
from stacks.capacity import node_group_props
from stacks.common import tags_of
from stacks.foundation import Foundation, NodeNetwork
from stacks.kubernetes.karpenter import add_karpenter, filled_identities, node_values
from stacks.kubernetes.scraper import add_scraper
from stacks.kubernetes.steps import add_steps, stack_values
from stacks.nodes.boot import boot_dependencies, reserved_instances
from stacks.nodes.images import image_access
from ultracluster.capacity import EfaNodeGroup
from ultracluster.cfn import cluster_metadata, sub
from ultracluster.kubernetes.eks_addons import EksAddon, EksAddonProps, PodIdentity, PodIdentityProps
from ultracluster.kubernetes.eks_cluster import AccessPolicy, EksCluster, EksClusterProps, add_access_entry
from ultracluster.kubernetes.eks_node_group import (
    EksNodeGroup,
    EksNodeGroupProps,
    EksNodeRole,
    EksNodeRoleProps,
    RepairOverride,
)
from ultracluster.kubernetes.kubectl_layer import add_kubectl_layer
from ultracluster.nodes import NodeScripts, NodeScriptsProps
from ultracluster.retention import Retention
from ultracluster.storage import StorageKey, StorageKeyProps

ADMIN = AccessPolicy(name="AmazonEKSClusterAdminPolicy")


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesCluster:
    """The created cluster, and its node groups in the order of the profile."""

    eks: EksCluster
    nodes: tuple[IDependable, ...]


def add_eks(scope: Construct, on: Foundation, plan: EksPlan) -> KubernetesCluster:
    """Add the cluster with its node groups, add-ons and access entries."""
    design = on.design
    scripts = _scripts(scope, plan)
    layer = add_kubectl_layer(scope, "KubectlLayer", plan.control_plane.kubernetes_version)
    cluster = add_control_plane(
        scope, design, plan.control_plane, on.node_network, scripts, kubectl_layer=layer
    )
    role = _node_role(scope, design, plan, scripts)
    karpenter = add_karpenter(scope, design.profile, plan.karpenter, role) if plan.karpenter else None
    known = node_values(on, role, scripts, karpenter)
    pods = filled_identities(plan.contents.identities, known)
    identities = add_identities(scope, design, cluster, pods)
    first = [addon for addon in plan.contents.addons if not addon.after_nodes]
    addons = add_addons(scope, design, cluster, first, identities, after=())
    nodes = _nodes(scope, on, plan, cluster, scripts, role, tuple(addons))
    system = [made for group, made in zip(plan.groups, nodes, strict=True) if group.group.role == "system"]
    later = [addon for addon in plan.contents.addons if addon.after_nodes]
    # GPU nodes can start late, and system pods do not run on them
    running = add_addons(scope, design, cluster, later, identities, after=system)
    steps = add_steps(
        scope,
        design,
        plan.contents.steps,
        cluster,
        layer,
        stack_values(on, cluster, known),
        nodes=[*system, *running],
    )
    if karpenter is not None:
        for resource in steps.resources[KARPENTER]:
            resource.node.add_dependency(*karpenter.dependencies)
    add_scraper(scope, on, plan.control_plane, cluster)
    return KubernetesCluster(eks=cluster, nodes=nodes)


def add_control_plane(
    scope: Construct,
    design: Design,
    plan: ControlPlanePlan,
    node_network: NodeNetwork,
    scripts: NodeScripts | None = None,
    *,
    kubectl_layer: lambda_.ILayerVersion | None = None,
    holds_capacity: bool = True,
) -> EksCluster:
    """Add an EKS control plane without nodes, for the orchestrators EKS and HyperPod on EKS.

    If `holds_capacity` is true, EKS runs the node groups, and the cluster's metadata contains the
    reservations.
    """
    # `cdk gc` deletes assets that no template names, and replacement nodes need them later
    keys = scripts.object_keys if scripts else ()
    metadata = cluster_metadata(keys, reserved_instances(design) if holds_capacity else {})
    cluster = EksCluster(
        scope,
        "Eks",
        EksClusterProps(
            cluster_name=plan.cluster_name,
            kubernetes_version=plan.kubernetes_version,
            vpc_id=node_network.vpc_id,
            subnet_ids=[node_network.subnet_ids[name] for name in plan.subnets],
            security_group_id=node_network.node_security_group_id,
            public_access_cidrs=plan.public_cidrs,
            secrets_key_arn=plan.secrets_key_arn or _secrets_key(scope, design, plan),
            log_types=plan.log_types,
            log_retention_days=plan.log_retention_days,
            support_type=plan.support,
            deletion_protection=plan.deletion_protection,
            kubectl_layer=kubectl_layer,
            kubectl_dependencies=node_network.nodes_ready,
            # the API server calls webhooks in the cluster through these rules
            dependencies=node_network.security_group_rules,
            metadata=metadata,
            tags=tags_of(design.profile),
        ),
    )
    _access(scope, design, plan, cluster)
    return cluster


def _secrets_key(scope: Construct, design: Design, plan: ControlPlanePlan) -> str | None:
    if not plan.new_secrets_key:
        return None
    return StorageKey(
        scope,
        "SecretsKey",
        StorageKeyProps(
            alias=f"{plan.cluster_name}-secrets",
            description=f"Kubernetes secrets of the cluster {plan.cluster_name}",
            # the data that the key encrypts is deleted with the cluster
            retention=Retention.DISPOSABLE,
            tags=tags_of(design.profile),
        ),
    ).key_arn


def _access(scope: Construct, design: Design, plan: ControlPlanePlan, cluster: EksCluster) -> None:
    """Add an access entry for each principal of the profile, and for CDK's deploy role (HYPERPOD-34)."""
    deployer = deploy_role_arn(scope) if plan.deployer_access else None
    if deployer is not None:
        add_access_entry(
            scope,
            "Access-deployer",
            cluster_name=cluster.cluster_name,
            principal_arn=sub(deployer),
            policies=[ADMIN],
            tags=tags_of(design.profile),
        )
    for entry in plan.access:
        kind, _, name = entry.principal.rpartition(":")[2].partition("/")
        add_access_entry(
            scope,
            f"Access-{kind}-{name}",
            cluster_name=cluster.cluster_name,
            principal_arn=entry.principal,
            policies=[AccessPolicy(name=one.name, namespaces=one.namespaces) for one in entry.policies],
            groups=entry.groups,
            tags=tags_of(design.profile),
        )


def deploy_role_arn(scope: Construct) -> str | None:
    """Return the ARN of CDK's deploy role for Fn::Sub; None if CDK deploys with the caller's role."""
    synthesizer = cdk.Stack.of(scope).synthesizer
    return synthesizer.deploy_role_arn if isinstance(synthesizer, cdk.DefaultStackSynthesizer) else None


def add_identities(
    scope: Construct, design: Design, cluster: EksCluster, plans: Iterable[IdentityPlan]
) -> dict[str, PodIdentity]:
    """Add the pod roles; return them by name."""
    return {
        plan.name: PodIdentity(
            scope,
            f"Identity-{plan.name}",
            PodIdentityProps(
                cluster_name=cluster.cluster_name,
                namespace=plan.namespace,
                service_account=plan.service_account,
                managed_policies=plan.managed_policies,
                statements=plan.statements,
                tags=tags_of(design.profile),
            ),
        )
        for plan in plans
    }


def add_addons(
    scope: Construct,
    design: Design,
    cluster: EksCluster,
    plans: Iterable[AddonPlan],
    identities: dict[str, PodIdentity],
    *,
    after: Sequence[IDependable],
) -> list[IDependable]:
    """Add the add-ons. Each depends on the add-ons that it requires and on the roles of its pods."""
    made: dict[str, IDependable] = {}
    for plan in plans:
        others = [made[name] for name in plan.after if name in made]
        made[plan.name] = EksAddon(
            scope,
            f"Addon-{plan.name}",
            EksAddonProps(
                cluster_name=cluster.cluster_name,
                name=plan.name,
                version=plan.version,
                settings=plan.settings,
                dependencies=(
                    *(
                        identities[name].association
                        for name in (plan.identity or plan.name,)
                        if name in identities
                    ),
                    # these steps are last
                    *(others or after),
                ),
                tags=tags_of(design.profile),
            ),
        ).resource
    return list(made.values())


def _scripts(scope: Construct, plan: EksPlan) -> NodeScripts | None:
    if plan.scripts is None:
        return None
    props = NodeScriptsProps(
        files=plan.scripts.files, key_prefix="eks-nodes", content_hash=plan.scripts.content_hash
    )
    return NodeScripts(scope, "Scripts", props)


def _node_role(scope: Construct, design: Design, plan: EksPlan, scripts: NodeScripts | None) -> EksNodeRole:
    props = EksNodeRoleProps(
        cluster_name=plan.cluster_name,
        scripts_bucket_name=scripts.bucket_name if scripts else None,
        scripts_prefix=scripts.versions_prefix if scripts else "",
        access=node_access(design, plan.scripts),
        images=image_access(design.pulled),
        tags=tags_of(design.profile),
    )
    return EksNodeRole(scope, "NodeRole", props)


def _nodes(
    scope: Construct,
    on: Foundation,
    plan: EksPlan,
    cluster: EksCluster,
    scripts: NodeScripts | None,
    role: EksNodeRole,
    addons: tuple[IDependable, ...],
) -> tuple[IDependable, ...]:
    design, node_network = on.design, on.node_network
    joining = (*node_network.nodes_ready, *node_network.security_group_rules)
    working = boot_dependencies(on, ())
    return tuple(
        EksNodeGroup(
            scope,
            f"Group-{group.group.name}",
            _group_props(
                design,
                group,
                cluster=cluster,
                template=_template(scope, design, plan, group, cluster, node_network, scripts),
                role_arn=role.role_arn,
                subnet_id=node_network.subnet_ids[group.group.subnet],
                # system nodes do not mount file systems
                needed=(*(joining if group.group.role == "system" else working), *addons),
            ),
        ).resource
        for group in plan.groups
    )


def _template(
    scope: Construct,
    design: Design,
    plan: EksPlan,
    group: EksGroupPlan,
    cluster: EksCluster,
    node_network: NodeNetwork,
    scripts: NodeScripts | None,
) -> EfaNodeGroup:
    if group.node_config is not None:
        uri = scripts.s3_uri if scripts else ""
        user_data = eks_user_data(
            plan.scripts,
            group.node_config,
            bundle_uri=uri,
            region=design.profile.region,
            masked=group.masked_services,
        )
    else:
        user_data = group.settings or ""
    return EfaNodeGroup(
        scope,
        f"Nodes-{group.group.name}",
        node_group_props(
            design.profile,
            group.group,
            security_group_ids=(node_network.node_security_group_id,),
            primary_security_group_ids=(cluster.cluster_security_group_id,),
            root_device=group.root_device,
            user_data=user_data or None,
        ),
    )


def _group_props(
    design: Design,
    plan: EksGroupPlan,
    *,
    cluster: EksCluster,
    template: EfaNodeGroup,
    role_arn: str,
    subnet_id: str,
    needed: Sequence[IDependable],
) -> EksNodeGroupProps:
    repair = plan.repair
    return EksNodeGroupProps(
        cluster_name=cluster.cluster_name,
        name=plan.name,
        ami_type=plan.ami_type,
        node_role_arn=role_arn,
        subnet_id=subnet_id,
        launch_template_id=template.launch_template_id,
        launch_template_version=template.launch_template_version,
        kubernetes_version=plan.kubernetes_version,
        desired_size=plan.group.count,
        min_size=plan.min_size,
        max_size=plan.max_size,
        capacity_type=plan.group.purchase.eks,
        release_version=plan.release,
        labels=plan.labels,
        taints=[(taint.key, taint.value, taint.effect) for taint in plan.taints],
        minimal_update=plan.minimal_update,
        repair=repair is not None,
        max_parallel_repairs=repair.max_parallel if repair else 1,
        max_unhealthy=repair.max_unhealthy if repair else None,
        repair_overrides=[
            RepairOverride(
                condition=one.condition,
                reason=one.reason,
                action=one.action,
                wait_minutes=one.wait_minutes,
            )
            for one in (repair.overrides if repair else ())
        ],
        dependencies=needed,
        tags=tags_of(design.profile),
    )


def kubeconfig_command(scope: Construct, design: Design, plan: EksPlan) -> str:
    """Return the command that configures kubectl; it uses the deploy role if this role has access."""
    command = f"aws eks update-kubeconfig --region {design.profile.region} --name {plan.cluster_name}"
    deployer = deploy_role_arn(scope) if plan.control_plane.deployer_access else None
    return cdk.Fn.sub(f"{command} --role-arn {deployer}") if deployer else command
