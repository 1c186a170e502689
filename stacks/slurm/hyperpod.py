"""HyperPod with Slurm: construct props from the plan."""

from __future__ import annotations

from typing import cast

from constructs import Construct

from config.design.slurm.hyperpod import HyperPodSlurmPlan
from config.design.zones import PRIMARY
from stacks.access.people import add_people
from stacks.common import tags_of
from stacks.foundation import Foundation
from stacks.nodes.boot import boot_dependencies, node_parameters, reserved_instances
from stacks.slurm.accounting import add_accounting
from stacks.slurm.hyperpod_groups import hyperpod_group
from stacks.slurm.hyperpod_nodes import add_scripts, role_props
from ultracluster.slurm import (
    HyperPodExecutionRole,
    HyperPodSlurmCluster,
    HyperPodSlurmClusterProps,
    NodeRecovery,
    SlurmConfigStrategy,
)


def add_hyperpod(scope: Construct, on: Foundation, plan: HyperPodSlurmPlan) -> HyperPodSlurmCluster:
    """Add the cluster with its node scripts and the role of its nodes."""
    design, node_network = on.design, on.node_network
    scripts = add_scripts(scope, plan)
    accounting = add_accounting(scope, design.profile, plan.accounting, node_network)
    role = HyperPodExecutionRole(scope, "NodeRole", role_props(on, plan, scripts, accounting))
    read = plan.scripts.parameters if plan.scripts else ()
    parameters = node_parameters(scope, on, plan.storage, read)
    people = add_people(scope, design, plan.scripts, "hyperpod-lifecycle")
    strategy = plan.slurm_config_strategy
    return HyperPodSlurmCluster(
        scope,
        "HyperPod",
        HyperPodSlurmClusterProps(
            cluster_name=plan.cluster_name,
            subnet_ids=[node_network.subnet_ids[PRIMARY]],
            security_group_ids=[node_network.node_security_group_id],
            groups=[hyperpod_group(group, on) for group in design.groups],
            slurm_config_strategy=cast(SlurmConfigStrategy, strategy.capitalize()) if strategy else None,
            node_recovery=cast(NodeRecovery, plan.node_recovery.capitalize()),
            lifecycle=scripts.lifecycle,
            accounting=accounting.database if accounting else None,
            execution_role_arn=role.role_arn,
            scripts_object_keys=scripts.object_keys,
            # slurmdbd must reach its database when it first starts (HYPERPOD-13)
            boot_dependencies=(
                *boot_dependencies(on, [*parameters, *people]),
                *(accounting.ready if accounting else ()),
            ),
            reserved_instances=reserved_instances(design),
            tags=tags_of(design.profile),
        ),
    )
