"""How a cluster finds its data profile's ids at deploy time: SSM parameters at versioned paths."""

from __future__ import annotations

import aws_cdk as cdk
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
        parameter = cdk.CfnResource(
            scope,
            key,
            type="AWS::SSM::Parameter",
            properties={
                "Type": "String",
                "Name": attachment.path(key),
                "Value": value,
                "Description": f"{key} of the data profile {design.profile.name}",
                "Tags": tags_of(design),
            },
        )
        # a cluster may still stand on the version before: its path stays when another takes its place
        parameter.cfn_options.update_replace_policy = cdk.CfnDeletionPolicy.RETAIN
        parameter.cfn_options.deletion_policy = cdk.CfnDeletionPolicy.DELETE


def read_ground(attachment: Attachment, design: Design) -> Ground:
    """What the cluster uses of the data profile's network."""
    subnets = sorted({PRIMARY, *(group.subnet for group in design.groups)})
    return Ground(
        vpc_id=_read(attachment, _VPC) if design.owns_lustre else "",
        subnet_ids={subnet: _read(attachment, _subnet_key(subnet)) for subnet in subnets},
        node_security_group_id=_read(attachment, _NODES),
    )


def read_file_system(attachment: Attachment) -> FileSystem:
    """The file system of the data profile, as nodes mount it."""
    return FileSystem(
        dns_name=_read(attachment, _DNS_NAME),
        mount_name=_read(attachment, _MOUNT_NAME),
    )


def _read(attachment: Attachment, key: str) -> str:
    """A reference that CloudFormation resolves whenever it touches the resource.

    A stack parameter with the path as its default would not do: the CDK CLI keeps the value that a parameter
    had at the last deployment, so a new version's path would never be read.
    """
    return f"{{{{resolve:ssm:{attachment.path(key)}}}}}"
