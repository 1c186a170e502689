"""AWS PCS cluster: construct props from the plan."""

from __future__ import annotations

from typing import cast

from constructs import Construct

from config.design.model import Design
from config.design.nodes.user_data import pcs_lifecycle_script
from config.design.slurm.pcs import PcsGroupPlan, PcsPlan
from config.design.zones import PRIMARY
from stacks.access.people import add_people, node_access
from stacks.capacity import node_group_props
from stacks.common import tags_of
from stacks.foundation import Foundation, NodeNetwork
from stacks.nodes.boot import boot_dependencies, node_parameters, reserved_instances
from stacks.nodes.images import image_access
from stacks.nodes.metrics import metrics_access, workspace_arn
from ultracluster.capacity import EfaNodeGroup
from ultracluster.nodes import NodeScripts, NodeScriptsProps
from ultracluster.slurm import (
    PcsCluster,
    PcsClusterProps,
    PcsGroup,
    PcsNodeRole,
    PcsNodeRoleProps,
    PcsQueue,
    PcsScript,
    Size,
)


def add_pcs(scope: Construct, on: Foundation, plan: PcsPlan) -> PcsCluster:
    """Add the cluster with its node scripts, the role of its nodes and their launch templates."""
    design, node_network, storage = on.design, on.node_network, on.storage
    scripts = NodeScripts(
        scope,
        "Scripts",
        NodeScriptsProps(
            files=plan.scripts.files, key_prefix="pcs-lifecycle", content_hash=plan.scripts.content_hash
        ),
    )
    role = PcsNodeRole(
        scope,
        "NodeRole",
        PcsNodeRoleProps(
            cluster_name=plan.cluster_name,
            scripts_bucket_name=scripts.bucket_name,
            scripts_prefix=scripts.versions_prefix,
            parameter_names=plan.scripts.parameters,
            directory_bucket_names=[storage.express_bucket_name] if storage.express_bucket_name else (),
            remote_write_workspace_arn=workspace_arn(design, on.workspaces.metrics_arn),
            metrics=metrics_access(plan.scripts),
            access=node_access(design, plan.scripts),
            images=image_access(design.pulled),
            tags=tags_of(design.profile),
        ),
    )
    parameters = node_parameters(scope, on, plan.storage, plan.scripts.parameters)
    people = add_people(scope, design, plan.scripts, "pcs-lifecycle")
    return PcsCluster(
        scope,
        "Pcs",
        PcsClusterProps(
            cluster_name=plan.cluster_name,
            size=cast(Size, plan.size.upper()),
            slurm_version=plan.slurm_version,
            subnet_id=node_network.subnet_ids[PRIMARY],
            security_group_ids=[node_network.node_security_group_id],
            instance_profile_arn=role.instance_profile_arn,
            groups=[_group(scope, design, group, node_network) for group in plan.groups],
            queues=[
                PcsQueue(name=queue.name, groups=queue.groups, settings=queue.settings)
                for queue in plan.queues
            ],
            script=_script(design, plan, scripts),
            idle_seconds=plan.idle_seconds,
            accounting=plan.accounting,
            purge_days=plan.purge_days,
            rest_api=plan.rest_api,
            settings=plan.settings,
            accounting_settings=plan.accounting_settings,
            cgroup_settings=plan.cgroup_settings,
            scripts_object_keys=scripts.object_keys,
            boot_dependencies=boot_dependencies(on, [*parameters, *people]),
            controller_dependencies=node_network.security_group_rules,
            reserved_instances=reserved_instances(design),
            tags=tags_of(design.profile),
        ),
    )


def _group(scope: Construct, design: Design, plan: PcsGroupPlan, node_network: NodeNetwork) -> PcsGroup:
    group = plan.group
    template = EfaNodeGroup(
        scope,
        f"Nodes-{group.name}",
        node_group_props(
            design.profile,
            group,
            security_group_ids=(node_network.node_security_group_id,),
            root_device=plan.root_device,
        ),
    )
    return PcsGroup(
        key=group.name,
        name=plan.name,
        instance_type=group.instance_type.name,
        min_count=plan.min_count,
        max_count=plan.max_count,
        subnet_ids=[node_network.subnet_ids[group.subnet]],
        launch_template_id=template.launch_template_id,
        launch_template_version=template.launch_template_version,
        image_id=plan.image or f"{{{{resolve:ssm:{plan.image_parameter}}}}}",
        purchase_option=plan.group.purchase.pcs,
        idle_seconds=plan.idle_seconds,
        settings=plan.settings,
    )


def _script(design: Design, plan: PcsPlan, scripts: NodeScripts) -> PcsScript:
    script = pcs_lifecycle_script(plan.scripts, bundle_uri=scripts.s3_uri, region=design.profile.region)
    return PcsScript(
        name=script.name,
        location=script.location,
        checksum=script.checksum,
        arguments=script.arguments,
    )


def login_command(design: Design) -> str | None:
    """Return a command that finds a login node by its Name tag and starts a session on it."""
    group = next((group for group in design.groups if group.role == "login"), None)
    if group is None:
        return None
    region = f"--region {design.profile.region}"
    filters = (
        f"Name=tag:Name,Values={design.profile.name}-{group.name} Name=instance-state-name,Values=running"
    )
    found = (
        f"aws ec2 describe-instances {region} --filters {filters} "
        "--query 'Reservations[0].Instances[0].InstanceId' --output text"
    )
    return f'aws ssm start-session {region} --target "$({found})"'
