"""Orchestration layer for HyperPod on EKS, with construct props from the plans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast

import aws_cdk as cdk
from constructs import Construct, IDependable

from config.catalog import catalog
from config.design.kubernetes.hyperpod import HyperPodEksPlan
from config.design.kubernetes.hyperpod_parts import CHART_STEP
from config.design.kubernetes.model import AddonPlan
from config.design.kubernetes.plan import EksPlan
from config.design.kubernetes.steps import filled
from config.design.model import Design
from config.design.zones import PRIMARY
from config.profile.kubernetes.task_governance import Team
from stacks.common import tags_of
from stacks.foundation import Foundation, Workspaces
from stacks.kubernetes.eks import add_addons, add_control_plane, add_identities
from stacks.kubernetes.hyperpod_inference import add_inference
from stacks.kubernetes.karpenter import filled_identities
from stacks.kubernetes.scraper import add_scraper
from stacks.kubernetes.steps import Lookup, add_steps, stack_values
from stacks.nodes.boot import boot_dependencies, node_parameters, reserved_instances
from stacks.slurm.hyperpod_groups import hyperpod_group
from stacks.slurm.hyperpod_nodes import add_scripts, role_props
from stacks.validation import acknowledge_governance_types
from ultracluster.kubernetes import (
    HyperPodAutoscalingRole,
    HyperPodAutoscalingRoleProps,
    HyperPodEksCluster,
    HyperPodEksClusterProps,
    HyperPodTaskGovernance,
    HyperPodTaskGovernanceProps,
    Preemption,
    Sharing,
    TeamQuotaProps,
)
from ultracluster.kubernetes.eks_cluster import EksCluster
from ultracluster.kubernetes.kubectl_layer import add_kubectl_layer
from ultracluster.slurm import HyperPodExecutionRole, NodeRecovery

_GOVERNANCE = "amazon-sagemaker-hyperpod-taskgovernance"


def add_hyperpod_eks(
    scope: Construct, on: Foundation, plan: HyperPodEksPlan, eks_plan: EksPlan
) -> HyperPodEksCluster:
    """Add the control plane, then HyperPod's nodes, then the components that need nodes."""
    design = on.design
    layer = add_kubectl_layer(scope, "KubectlLayer", eks_plan.control_plane.kubernetes_version)
    eks = add_control_plane(
        scope, design, eks_plan.control_plane, on.node_network, kubectl_layer=layer, holds_capacity=False
    )
    contents = eks_plan.contents
    # buckets and roles are created before the nodes; add-ons that are created after the nodes use them
    known = _known(scope, plan, on.workspaces)
    identities = add_identities(scope, design, eks, filled_identities(contents.identities, known))
    first = [addon for addon in contents.addons if not addon.after_nodes]
    network = add_addons(scope, design, eks, first, identities, after=())
    cluster = _cluster(scope, on, plan, eks, tuple(network))
    if plan.inference is not None:
        known = add_inference(scope, design.profile, plan.inference, eks, cluster, known)
    later = _filled_addons((addon for addon in contents.addons if addon.after_nodes), known)
    after = {
        addon.name: made
        for addon, made in zip(
            later, add_addons(scope, design, eks, later, identities, after=[cluster.resource]), strict=True
        )
    }
    steps = add_steps(
        scope,
        design,
        contents.steps,
        eks,
        layer,
        stack_values(on, eks, known),
        nodes=[cluster.resource],
        hyperpod=[cluster.resource],
        further={name: [made] for name, made in after.items()},
    )
    add_scraper(scope, on, eks_plan.control_plane, eks)
    # HyperPod rejects an EKS cluster without HyperPod's chart
    cluster.resource.node.add_dependency(*steps.resources[CHART_STEP])
    if plan.governance is not None:
        _task_governance(scope, design, plan, cluster, after[_GOVERNANCE])
    return cluster


def _cluster(
    scope: Construct, on: Foundation, plan: HyperPodEksPlan, eks: EksCluster, network: tuple[IDependable, ...]
) -> HyperPodEksCluster:
    design, node_network, scripts = on.design, on.node_network, add_scripts(scope, plan)
    props = role_props(on, plan, scripts, eks_cluster_arn=eks.cluster_arn)
    role = HyperPodExecutionRole(scope, "NodeRole", props)
    read = plan.scripts.parameters if plan.scripts else ()
    parameters = node_parameters(scope, on, plan.storage, read)
    return HyperPodEksCluster(
        scope,
        "HyperPod",
        HyperPodEksClusterProps(
            cluster_name=plan.cluster_name,
            eks_cluster_arn=eks.cluster_arn,
            subnet_ids=[node_network.subnet_ids[PRIMARY]],
            security_group_ids=[node_network.node_security_group_id],
            groups=[hyperpod_group(group, on, plan.labels[group.name]) for group in design.groups],
            execution_role_arn=role.role_arn,
            node_recovery=cast(NodeRecovery, plan.node_recovery.capitalize()),
            continuous=plan.continuous,
            lifecycle=scripts.lifecycle,
            autoscaling_role_arn=_autoscaling_role(scope, design, plan),
            tiered_memory_percent=plan.tiered_memory_percent,
            scripts_object_keys=scripts.object_keys,
            boot_dependencies=(*boot_dependencies(on, parameters), *network),
            reserved_instances=reserved_instances(design),
            tags=tags_of(design.profile),
        ),
    )


def _autoscaling_role(scope: Construct, design: Design, plan: HyperPodEksPlan) -> str | None:
    if not plan.autoscaled:
        return None
    scaled = [group for group in design.groups if group.name in plan.autoscaled]
    keys = [arn for group in scaled for arn in (group.volume_key_arn, group.root_volume_key_arn) if arn]
    props = HyperPodAutoscalingRoleProps(
        cluster_name=plan.cluster_name, volume_key_arns=keys, tags=tags_of(design.profile)
    )
    return HyperPodAutoscalingRole(scope, "KarpenterRole", props).role_arn


def _task_governance(
    scope: Construct,
    design: Design,
    plan: HyperPodEksPlan,
    cluster: HyperPodEksCluster,
    ready: IDependable,
) -> None:
    governance = plan.governance
    assert governance is not None
    made = HyperPodTaskGovernance(
        scope,
        "TaskGovernance",
        HyperPodTaskGovernanceProps(
            name=plan.cluster_name,
            cluster_arn=cluster.cluster_arn,
            fair_share=governance.fair_share,
            idle_resource_sharing=governance.idle_resource_sharing,
            priority_classes={one.name: one.weight for one in governance.priority_classes},
            teams=[_team(team) for team in plan.teams],
            ready=[ready],
            tags=tags_of(design.profile),
        ),
    )
    acknowledge_governance_types(made)


_SHARING: dict[str, Sharing] = {"lend-and-borrow": "LendAndBorrow", "lend": "Lend", "dont-lend": "DontLend"}
_PREEMPTION: dict[str, Preemption] = {"lower-priority": "LowerPriority", "never": "Never"}


def _team(team: Team) -> TeamQuotaProps:
    return TeamQuotaProps(
        team_name=team.name,
        nodes={_sagemaker_name(quota.instance_type): quota.nodes for quota in team.quotas},
        fair_share_weight=team.fair_share_weight,
        sharing=_SHARING[team.sharing],
        borrow_limit_percent=team.borrow_limit_percent,
        preempt=_PREEMPTION[team.preempt],
    )


def _sagemaker_name(name: str) -> str:
    instance = catalog().instance(name)
    return (instance.hyperpod_name if instance else None) or f"ml.{name}"


def _known(scope: Construct, plan: HyperPodEksPlan, workspaces: Workspaces) -> Lookup:
    """Return a lookup of placeholder values in add-on settings; CloudFormation resolves these values."""
    logs = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:/aws/sagemaker/Clusters/"
    grafana = "arn:${AWS::Partition}:grafana:${AWS::Region}:${AWS::AccountId}:/workspaces/${Id}"
    values = {
        "cluster-logs-arn": cdk.Fn.sub(f"{logs}{plan.cluster_name}/*"),
        "prometheus-arn": workspaces.metrics_arn,
        "prometheus-endpoint": workspaces.metrics_endpoint,
        "grafana-name": workspaces.grafana_name,
        "grafana-arn": cdk.Fn.sub(grafana, {"Id": workspaces.grafana_id}) if workspaces.grafana_id else None,
    }

    def known(kind: str, name: str) -> str:
        value = values.get(kind)
        if value is None:
            raise ValueError(f"there is no value for {kind} {name!r}".rstrip())
        return value

    return known


def _filled_addons(plans: Iterable[AddonPlan], known: Lookup) -> list[AddonPlan]:
    return [replace(plan, settings=filled(plan.settings, known)) for plan in plans]
