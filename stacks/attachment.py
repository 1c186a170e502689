"""SSM parameters with the ids of a data profile's resources, written by its stack and read by clusters."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from config.design.model import Design
from config.design.network.attachment import (
    EXPRESS_BUCKET,
    HOME_DNS,
    HOME_ID,
    NODE_SECURITY_GROUP,
    VPC,
    Attachment,
    parameter_of,
    subnet_parameter,
)
from config.design.storage.home import HomePlan
from config.design.storage.lustre import LustrePlan
from config.design.zones import PRIMARY
from stacks.common import add_parameter, retention_of
from stacks.foundation import FileSystem, Foundation, HomeSystem, NodeNetwork
from ultracluster.retention import Retention


def publish(scope: Construct, on: Foundation, attachment: Attachment) -> None:
    """Create the parameters that clusters read; each is created after the resource whose id it contains."""
    design, node_network, storage = on.design, on.node_network, on.storage
    values = {VPC: node_network.vpc_id, NODE_SECURITY_GROUP: node_network.node_security_group_id}
    values |= {
        subnet_parameter(name): subnet_id
        for name, subnet_id in node_network.subnet_ids.items()
        if name != "public"
    }
    for system in storage.file_systems:
        values |= _facts(system)
    if storage.home:
        values |= {HOME_DNS: storage.home.dns_name, HOME_ID: storage.home.file_system_id}
    if storage.express_bucket_name:
        values[EXPRESS_BUCKET] = storage.express_bucket_name
    for key, value in sorted(values.items()):
        described = f"{key} of the data profile {{}}"
        parameter = add_parameter(scope, key, design.profile, attachment.path(key), value, described)
        # A cluster may still use a path that is replaced, or whose data stack is deleted. Without the
        # parameter, the cluster could not be updated; a new parameter would name an empty file system.
        keeps = retention_of(design.profile) is Retention.RETAIN
        policy = cdk.CfnDeletionPolicy
        parameter.cfn_options.update_replace_policy = policy.RETAIN
        parameter.cfn_options.deletion_policy = policy.RETAIN_EXCEPT_ON_CREATE if keeps else policy.DELETE


def read_network(attachment: Attachment, design: Design) -> NodeNetwork:
    """Return the values of the data profile's network that the cluster uses."""
    home = {design.home.subnet} if design.home and design.owns_home else set()
    accounting = design.hyperpod.accounting if design.hyperpod else None
    database = accounting.subnets if accounting else ()
    control_plane = design.eks.control_plane.subnets if design.eks else ()
    named = (PRIMARY, *home, *database, *control_plane, *(group.subnet for group in design.groups))
    return NodeNetwork(
        vpc_id=_read(attachment, VPC)
        if design.owns_lustre or design.owns_home or database or design.eks
        else "",
        subnet_ids={name: _read(attachment, subnet_parameter(name)) for name in sorted(set(named))},
        node_security_group_id=_read(attachment, NODE_SECURITY_GROUP),
    )


def _facts(system: FileSystem) -> dict[str, str]:
    return {
        parameter_of(system.plan, "dns-name"): system.dns_name,
        parameter_of(system.plan, "id"): system.file_system_id,
        parameter_of(system.plan, "mount-name"): system.mount_name,
    }


def read_file_system(attachment: Attachment, plan: LustrePlan) -> FileSystem:
    """Return a file system of the data profile for nodes to mount."""
    return FileSystem(
        plan=plan,
        dns_name=_read(attachment, parameter_of(plan, "dns-name")),
        file_system_id=_read(attachment, parameter_of(plan, "id")),
        mount_name=_read(attachment, parameter_of(plan, "mount-name")),
    )


def read_home(attachment: Attachment, plan: HomePlan) -> HomeSystem:
    """Return the home directories of the data profile for nodes to mount."""
    return HomeSystem(
        plan=plan,
        dns_name=_read(attachment, HOME_DNS),
        file_system_id=_read(attachment, HOME_ID),
    )


def read_express(attachment: Attachment) -> str:
    """Return the name of the data profile's directory bucket."""
    return _read(attachment, EXPRESS_BUCKET)


def _read(attachment: Attachment, key: str) -> str:
    """Return a dynamic reference, which CloudFormation resolves at each update of the resource.

    A stack parameter whose default is the path would not work: the CDK CLI passes the path of the last
    deployment, so CloudFormation would never read the path of a new version.
    """
    return f"{{{{resolve:ssm:{attachment.path(key)}}}}}"
