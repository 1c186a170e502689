"""EKS managed node groups and their node role."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_resource, add_service_role, attribute, statement
from ultracluster.nodes.permissions import (
    NodeAccess,
    NodeImageAccess,
    access_statements,
    image_statements,
    scripts_statements,
    session_statement,
)

CapacityType = Literal["ON_DEMAND", "SPOT", "CAPACITY_BLOCK"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EksNodeRoleProps(Tagged):
    """Properties of the role of a cluster's nodes.

    Attributes:
        cluster_name: The cluster, for the description.
        scripts_bucket_name: Bucket of the node scripts. None: no scripts.
        scripts_prefix: Folder of all versions of the node scripts in the bucket, without slashes at its ends.
        access: Permissions for sessions. None: no sessions.
        images: Pull-through caches from which nodes can pull an image that is not in the cache yet. None: no
            caches.
    """

    cluster_name: str
    scripts_bucket_name: str | None = None
    scripts_prefix: str = ""
    access: NodeAccess | None = None
    images: NodeImageAccess | None = None


class EksNodeRole(Construct):
    """The role of nodes, for cluster access, images, sessions and scripts; pods have their own roles.

    Attributes:
        role_arn: The role.
        role_name: Its generated name.
    """

    def __init__(self, scope: Construct, construct_id: str, props: EksNodeRoleProps) -> None:
        """Create the role."""
        super().__init__(scope, construct_id)
        bucket = props.scripts_bucket_name
        role = add_service_role(
            self,
            "Resource",
            service="ec2.amazonaws.com",
            description=f"Nodes of the EKS cluster {props.cluster_name}",
            statements=[
                # the action does not support resource-level permissions
                statement(["ssm:UpdateInstanceInformation"], "*", sid="Managed"),
                session_statement(),
                *(scripts_statements(bucket, props.scripts_prefix) if bucket else ()),
                *access_statements(props.access),
                # the managed policy allows pulls from every repository
                *image_statements(props.images, pulls=False),
            ],
            tags=props.tags,
            source_account_condition=False,
            # see https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html
            managed_policies=("AmazonEC2ContainerRegistryPullOnly", "AmazonEKSWorkerNodePolicy"),
        )
        self.role_arn = attribute(role, "Arn")
        self.role_name = role.ref


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairOverride:
    """Repair action of EKS for one reason.

    Attributes:
        condition: `AcceleratedHardwareReady`.
        reason: `NvidiaXID79Error`.
        action: `Replace`, `Reboot` or `NoAction`.
        wait_minutes: Minutes that the condition must last before EKS repairs the node.
    """

    condition: str
    reason: str
    action: str
    wait_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EksNodeGroupProps(Tagged):
    """Properties of a managed node group.

    Attributes:
        cluster_name: The cluster.
        name: At most 63 characters. A change of name, AMI type, capacity type or subnet replaces the group.
            If you change AMI type, capacity type or subnet, change the name too: EKS rejects a replacement
            with the same name (SLURM-12).
        ami_type: `AL2023_x86_64_NVIDIA`. Must match the architecture of the instances.
        node_role_arn: Role of the nodes.
        subnet_id: The only subnet. EKS would spread the nodes over several subnets, but EFA traffic cannot
            leave a subnet.
        launch_template_id: The launch template, with the instance type.
        launch_template_version: Version number of the launch template.
        kubernetes_version: `1.35`.
        desired_size: Number of nodes.
        min_size: Minimum for scaling.
        max_size: Maximum for scaling, at least 1.
        capacity_type: `ON_DEMAND` for reservations too.
        release_version: Release of the image. None: EKS's newest release.
        labels: Labels of the nodes.
        taints: Taints of the nodes: key, value and effect (`NO_SCHEDULE`).
        minimal_update: Whether an update terminates a node before it launches the replacement.
        repair: Whether EKS repairs nodes.
        max_parallel_repairs: Maximum number of nodes that EKS repairs at the same time.
        max_unhealthy: Number of unhealthy nodes above which EKS stops repairs. None: EKS's default.
        repair_overrides: Repair actions for individual reasons.
        dependencies: Resources that a node needs to join, if no property refers to them: routes, endpoints,
            security group rules, network add-ons.
    """

    cluster_name: str
    name: str
    ami_type: str
    node_role_arn: str
    subnet_id: str
    launch_template_id: str
    launch_template_version: str
    kubernetes_version: str
    desired_size: int
    min_size: int
    max_size: int
    capacity_type: CapacityType = "ON_DEMAND"
    release_version: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[tuple[str, str, str]] = ()
    minimal_update: bool = False
    repair: bool = True
    max_parallel_repairs: int = 1
    max_unhealthy: int | None = None
    repair_overrides: Sequence[RepairOverride] = ()
    dependencies: Sequence[IDependable] = ()


class EksNodeGroup(Construct):
    """A managed node group.

    Attributes:
        resource: The node group, for the dependencies of other resources.
    """

    def __init__(self, scope: Construct, construct_id: str, props: EksNodeGroupProps) -> None:
        """Create the node group; raise ValueError for sizes that EKS rejects."""
        super().__init__(scope, construct_id)
        sizes = (props.min_size, props.desired_size, props.max_size)
        if list(sizes) != sorted(sizes) or props.max_size < 1:
            raise ValueError(
                f"sizes of {props.name!r} are {sizes}: pass ascending sizes, with a maximum of at least 1"
            )
        self.resource = add_resource(
            self,
            "Resource",
            "AWS::EKS::Nodegroup",
            {
                "ClusterName": props.cluster_name,
                "NodegroupName": props.name,
                "AmiType": props.ami_type,
                "CapacityType": props.capacity_type,
                "NodeRole": props.node_role_arn,
                "Subnets": [props.subnet_id],
                "LaunchTemplate": {"Id": props.launch_template_id, "Version": props.launch_template_version},
                "Version": props.kubernetes_version,
                "ReleaseVersion": props.release_version,
                "ScalingConfig": {
                    "MinSize": props.min_size,
                    "DesiredSize": props.desired_size,
                    "MaxSize": props.max_size,
                },
                "Labels": dict(sorted(props.labels.items())) or None,
                "Taints": [
                    {"Key": key, "Value": value, "Effect": effect} for key, value, effect in props.taints
                ]
                or None,
                "UpdateConfig": {
                    "MaxUnavailable": 1,
                    "UpdateStrategy": "MINIMAL" if props.minimal_update else "DEFAULT",
                },
                "NodeRepairConfig": _repair(props),
                "Tags": dict(sorted(props.tags.items())),
            },
            depends_on=props.dependencies,
        )


def _repair(props: EksNodeGroupProps) -> dict[str, Any]:
    if not props.repair:
        return {"Enabled": False}
    overrides = [
        {
            "NodeMonitoringCondition": override.condition,
            "NodeUnhealthyReason": override.reason,
            "MinRepairWaitTimeMins": override.wait_minutes,
            "RepairAction": override.action,
        }
        for override in props.repair_overrides
    ]
    return {
        "Enabled": True,
        "MaxParallelNodesRepairedCount": props.max_parallel_repairs,
        "MaxUnhealthyNodeThresholdCount": props.max_unhealthy,
        "NodeRepairConfigOverrides": overrides or None,
    }
