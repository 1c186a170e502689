"""How a cluster finds its data profile's ids at deploy time: SSM parameters at versioned paths."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from config.design.attachment import Attachment
from config.design.model import Design
from config.design.network import PRIMARY
from stacks.ground import FileSystem, Ground
from stacks.network import tags_of

_VPC = "vpc-id"
_NODES = "node-security-group-id"
_DNS_NAME = "lustre-dns-name"
_MOUNT_NAME = "lustre-mount-name"


def _subnet_key(name: str) -> str:
    return f"subnet-{name}-id"


def publish(
    scope: Construct, design: Design, attachment: Attachment, ground: Ground, storage: FileSystem | None
) -> None:
    """Write the ids that clusters attach to, after what they name is ready."""
    values = {_VPC: ground.vpc_id, _NODES: ground.node_security_group_id}
    values |= {
        _subnet_key(name): subnet_id for name, subnet_id in ground.subnet_ids.items() if name != "public"
    }
    if storage:
        values |= {
            _DNS_NAME: storage.dns_name,
            _MOUNT_NAME: storage.mount_name,
        }
    for key, value in sorted(values.items()):
        ssm.CfnParameter(
            scope, key, type="String", name=attachment.path(key), value=value,
            description=f"{key} of the data profile {design.profile.name}", tags=tags_of(design),
        )  # fmt: skip


def read_ground(scope: Construct, attachment: Attachment, design: Design) -> Ground:
    """What the cluster uses of the data profile's network; a parameter that nothing uses is not asked for."""
    subnets = sorted({PRIMARY, *(group.subnet for group in design.groups)})
    return Ground(
        vpc_id=_read(scope, attachment, _VPC) if design.owns_lustre else "",
        subnet_ids={subnet: _read(scope, attachment, _subnet_key(subnet)) for subnet in subnets},
        node_security_group_id=_read(scope, attachment, _NODES),
    )


def read_file_system(scope: Construct, attachment: Attachment) -> FileSystem:
    """The file system of the data profile, as nodes mount it."""
    return FileSystem(
        dns_name=_read(scope, attachment, _DNS_NAME),
        mount_name=_read(scope, attachment, _MOUNT_NAME),
    )


def _read(scope: Construct, attachment: Attachment, key: str) -> str:
    parameter = cdk.CfnParameter(
        scope, key, type="AWS::SSM::Parameter::Value<String>", default=attachment.path(key),
        description=f"{key}, as the data profile's stack published it",
    )  # fmt: skip
    return parameter.value_as_string
