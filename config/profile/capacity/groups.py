"""Profile keys for node groups and the purchase options of their capacity."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from config.profile.base import (
    AMI_ID,
    DEVICE,
    HYPERPOD_RELEASE,
    KMS_KEY_ARN,
    MOMENT,
    WHOLE,
    Model,
    Name,
    Sequence,
    Zone,
    ZoneId,
)
from config.profile.kubernetes.nodes import Labels, Taint
from config.profile.slurm.hyperpod import AutoPatch, ScheduledUpdate
from config.profile.slurm.pcs import LONGEST_IDLE_S
from config.profile.slurm.settings import NO_SETTINGS, SlurmSettings


class _Capacity(Model):
    """Base of all purchase options; a key that an option does not have is None."""

    reserved: ClassVar[bool] = True
    paid_in_advance: ClassVar[bool] = False

    @property
    def reservation_key(self) -> str | None:
        """The profile key that names the reservation; None if no reservation is named."""
        keys = ("arn", "reservation_id", "resource_group_arn")
        return next((key for key in keys if getattr(self, key, None)), None)

    @property
    def reservation(self) -> str | None:
        """The id or ARN of the reservation; None if no reservation is named."""
        named: str | None = getattr(self, self.reservation_key or "", None)
        return named


class _Unreserved(_Capacity):
    """Base of purchase options without a reservation."""

    reserved: ClassVar[bool] = False
    reservation_id: ClassVar[None] = None
    resource_group_arn: ClassVar[None] = None
    arn: ClassVar[None] = None
    match: ClassVar[None] = None
    availability_zone_id: ClassVar[None] = None
    ultraserver: ClassVar[None] = None
    placement_group: ClassVar[None] = None
    instances: ClassVar[None] = None
    start: ClassVar[None] = None
    end: ClassVar[None] = None
    next: ClassVar[None] = None


class OnDemand(_Unreserved):
    """On-demand instances."""

    kind: Literal["on-demand"]


class Spot(_Unreserved):
    """Spot Instances, which EC2 can interrupt with a notice of two minutes."""

    kind: Literal["spot"]


Instances = Annotated[
    int | None,
    Field(
        ge=1,
        le=6758,
        description="Number of instances in the reservation. `ultracluster review` reports a change that needs more "
        "at the same time. Default: unknown.",
    ),
]


ReservedZone = Annotated[
    ZoneId | None,
    Field(
        description="Zone id of the reservation, as EC2 shows it. Default: not compared with the group's zone."
    ),
]
UltraServerName = Annotated[
    str | None,
    Field(
        description="Type of the reserved UltraServer, for p6e-gb200: `u-p6e-gb200x36` or `u-p6e-gb200x72`."
    ),
]
Start = Annotated[
    str | None,
    Field(pattern=MOMENT, description="Start of the reservation in UTC, such as 2027-01-04T11:30Z."),
]
End = Annotated[
    str | None, Field(pattern=MOMENT, description="End of the reservation in UTC, such as 2027-01-18T11:30Z.")
]


class _Next(Model):
    """Base for the reservation that follows the current one; `key` is the profile key with the id or ARN."""

    key: ClassVar[str] = "reservation_id"

    @property
    def name(self) -> str:
        """The id or ARN of the next reservation."""
        return str(getattr(self, self.key))


class NextReservation(_Next):
    """The reservation that follows an ODCR."""

    start: ClassVar[None] = None
    end: ClassVar[None] = None

    reservation_id: Annotated[
        str, Field(description="Id of the next reservation, such as cr-0123456789abcdef0.")
    ]
    availability_zone_id: ReservedZone = None
    instances: Instances = None


class NextBlock(_Next):
    """The Capacity Block that follows a Capacity Block."""

    reservation_id: Annotated[
        str, Field(description="Id of the next Capacity Block, such as cr-0123456789abcdef0.")
    ]
    availability_zone_id: ReservedZone = None
    instances: Instances = None
    start: Start = None
    end: End = None


class NextPlan(_Next):
    """The training plan that follows a training plan."""

    key: ClassVar[str] = "arn"

    arn: Annotated[str, Field(description="ARN of the next training plan.")]
    availability_zone_id: ReservedZone = None
    instances: Instances = None
    start: Start = None
    end: End = None


AnyNext = NextReservation | NextBlock | NextPlan
_NEXT = "Reservation that follows when this one ends. `ultracluster rotate` writes a profile that uses it; deployments ignore it."


class CapacityReservation(_Capacity):
    """An on-demand capacity reservation (ODCR)."""

    arn: ClassVar[None] = None
    ultraserver: ClassVar[None] = None
    start: ClassVar[None] = None
    end: ClassVar[None] = None

    kind: Literal["odcr"]
    match: Annotated[
        Literal["targeted", "open"],
        Field(
            description="targeted: launches name the reservation. open: EC2 uses any open reservation that matches, and "
            "on-demand capacity when it is full."
        ),
    ] = "targeted"
    reservation_id: Annotated[
        str | None, Field(description="Id of a targeted reservation, such as cr-0123456789abcdef0.")
    ] = None
    resource_group_arn: Annotated[
        str | None,
        Field(description="ARN of a resource group of reservations, instead of `reservation_id`."),
    ] = None
    availability_zone_id: ReservedZone = None
    placement_group: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=255,
            description="Name of the cluster placement group that the reservation was created in; default: none.",
        ),
    ] = None
    instances: Instances = None
    next: Annotated[NextReservation | None, Field(description=_NEXT)] = None


class CapacityBlock(_Capacity):
    """An EC2 Capacity Block: instances that are reserved for a fixed period."""

    paid_in_advance: ClassVar[bool] = True
    arn: ClassVar[None] = None
    match: ClassVar[None] = None
    placement_group: ClassVar[None] = None
    resource_group_arn: ClassVar[None] = None

    kind: Literal["capacity-block"]
    reservation_id: Annotated[
        str, Field(description="Id of the Capacity Block, such as cr-0123456789abcdef0.")
    ]
    availability_zone_id: ReservedZone = None
    ultraserver: UltraServerName = None
    instances: Instances = None
    start: Start = None
    end: End = None
    next: Annotated[NextBlock | None, Field(description=_NEXT)] = None


class TrainingPlan(_Capacity):
    """A SageMaker training plan: instances that are reserved for HyperPod for a fixed period."""

    paid_in_advance: ClassVar[bool] = True
    reservation_id: ClassVar[None] = None
    resource_group_arn: ClassVar[None] = None
    match: ClassVar[None] = None
    placement_group: ClassVar[None] = None

    kind: Literal["training-plan"]
    arn: Annotated[
        str, Field(description="ARN of the training plan; a name ending in /example is a placeholder.")
    ]
    availability_zone_id: Annotated[
        ZoneId, Field(description="Zone id of the training plan's reserved capacity.")
    ]
    ultraserver: UltraServerName = None
    instances: Instances = None
    start: Start = None
    end: End = None
    next: Annotated[NextPlan | None, Field(description=_NEXT)] = None


AnyCapacity = OnDemand | Spot | CapacityReservation | CapacityBlock | TrainingPlan
Capacity = Annotated[AnyCapacity, Field(discriminator="kind")]


class NewPlacementGroup(Model):
    """A cluster placement group that the stack creates for this node group."""

    kind: Literal["new"]


class ExistingPlacementGroup(Model):
    """An existing cluster placement group."""

    kind: Literal["existing"]
    name: Annotated[str, Field(min_length=1, max_length=255, description="Name of the placement group.")]


PlacementGroup = Annotated[NewPlacementGroup | ExistingPlacementGroup, Field(discriminator="kind")]


DeepHealthCheck = Literal["instance-stress", "instance-connectivity", "multi-node-training-validation"]
VolumeKey = Annotated[str | None, Field(pattern=KMS_KEY_ARN)]


class Efa(Model):
    """Elastic Fabric Adapter (EFA) interfaces of a node, for control planes with launch templates."""

    layout: Annotated[
        Literal["ip-saving", "max-ena", "none"],
        Field(
            description="ip-saving: 1 IP address per node. max-ena: in addition, the full ENA bandwidth. none: no EFA."
        ),
    ]


_KINDS = frozenset(
    (
        "deep_health_checks", "fallback_instance_types", "min_count", "volume_key_arn", "root_volume_key_arn",
        "ami_id", "scheduled_update", "auto_patch", "labels", "taints", "image_release",
    )
)  # fmt: skip
"""Group keys that, if set, select the rules that apply to the group."""


class Group(Model):
    """A group of nodes with the same instance type and settings."""

    name: Annotated[Name, Field(description="Name of the group.")]
    role: Annotated[
        Literal["compute", "login", "controller", "system"],
        Field(description="Role of the nodes; only compute nodes run jobs."),
    ]
    instance_type: Annotated[
        str, Field(description="EC2 instance type, without `ml.`, such as p6-b200.48xlarge.")
    ]
    fallback_instance_types: Annotated[
        Sequence[str],
        Field(
            max_length=19,
            description="Instance types that HyperPod uses if `instance_type` is not available, in order of preference. Only for "
            "continuous provisioning.",
        ),
    ] = ()
    count: Annotated[int, Field(ge=0, le=6758, description="Nodes in the group.")]
    min_count: Annotated[
        int | None,
        Field(
            ge=1,
            le=6758,
            description="Minimum number of nodes; if they are not running after 3 hours, HyperPod stops the launch of the group. Only for "
            "continuous provisioning. Default: no minimum, HyperPod waits without end.",
        ),
    ] = None
    spare: Annotated[
        int,
        Field(
            ge=0,
            le=6758,
            description="Number of nodes of `count` that do not run jobs while all nodes are healthy. They replace nodes that fail.",
        ),
    ] = 0
    capacity: Annotated[Capacity, Field(description="Purchase option of the instances.")] = (
        OnDemand.model_construct(kind="on-demand")
    )
    zone: Annotated[
        Zone | None,
        Field(
            description="Zone of the group, one of the network's secondary zones; default: the profile's zone."
        ),
    ] = None
    efa: Annotated[
        Efa | None,
        Field(description="EFA interfaces of a node, for eks and pcs. HyperPod configures them itself."),
    ] = None
    placement_group: Annotated[
        PlacementGroup | None,
        Field(
            description="Cluster placement group that the nodes are launched into; default: none, it is never added automatically."
        ),
    ] = None
    partition: Annotated[
        Name | None,
        Field(description="Slurm partition (PCS: queue) of a compute group; default: the group's name."),
    ] = None
    deep_health_checks: Annotated[
        Sequence[DeepHealthCheck] | None,
        Field(
            description="HyperPod deep health checks when a node starts; default: all checks that the group can run."
        ),
    ] = None
    threads_per_core: Annotated[
        Literal[1, 2] | None,
        WHOLE,
        Field(description="Threads per CPU core; default: the instance type's default."),
    ] = None
    volume_gib: Annotated[
        int,
        Field(
            ge=1,
            le=16384,
            description="Size of a node's second EBS volume, mounted at /opt/sagemaker, in GiB.",
        ),
    ] = 500
    ami_id: Annotated[
        str | None,
        Field(
            pattern=AMI_ID,
            description="AMI of the nodes, such as ami-0123456789abcdef0. Default: the service's newest AMI; under pcs, each "
            "update can select a newer one.",
        ),
    ] = None
    image_release: Annotated[
        str | None,
        Field(
            pattern=HYPERPOD_RELEASE,
            max_length=64,
            description="Release of the HyperPod AMI, for hyperpod-eks, such as 1.0.7. Default: the newest release at deployment.",
        ),
    ] = None
    labels: Annotated[
        Labels | None,
        Field(description="Kubernetes labels of the nodes, such as {team: research}; default: none."),
    ] = None
    taints: Annotated[
        Sequence[Taint],
        Field(max_length=50, description="Kubernetes taints of the nodes; default: none."),
    ] = ()
    root_device: Annotated[
        str,
        Field(
            pattern=DEVICE,
            description="Device name of the AMI's root volume: /dev/sda1 on Ubuntu, /dev/xvda on Amazon Linux.",
        ),
    ] = "/dev/sda1"
    root_volume_gib: Annotated[
        int | None,
        Field(ge=75, le=16384, description="Size of a node's root volume in GiB, for pcs; default: 300."),
    ] = None
    scaling: Annotated[
        Literal["static", "dynamic"],
        Field(
            description="Scaling of a PCS group. static: always `count` nodes. dynamic: 0 to `count` nodes, as jobs need them."
        ),
    ] = "static"
    idle_seconds: Annotated[
        int | None,
        Field(
            ge=1,
            le=LONGEST_IDLE_S,
            description="Seconds without a job after which a node of a dynamic PCS group is terminated, for Slurm 25.11 or "
            "later. Default: the cluster's setting.",
        ),
    ] = None
    slurm_settings: Annotated[
        SlurmSettings,
        Field(description="Slurm settings of a PCS group's nodes, such as `Weight: 10`."),
    ] = NO_SETTINGS
    volume_key_arn: Annotated[
        VolumeKey, Field(description="KMS key of the second EBS volume; default: a key that HyperPod owns.")
    ] = None
    root_volume_key_arn: Annotated[
        VolumeKey, Field(description="KMS key of the root volume; default: a key that HyperPod owns.")
    ] = None
    scheduled_update: Annotated[
        ScheduledUpdate | None,
        Field(description="Scheduled AMI updates by HyperPod; default: none."),
    ] = None
    auto_patch: Annotated[
        AutoPatch | None,
        Field(description="AMI patches by HyperPod while nodes are idle; default: none."),
    ] = None

    @property
    def kinds(self) -> frozenset[str]:
        """The purchase option and the optional keys of the group, by which rules are selected."""
        found = {
            "login": self.role == "login",
            "threads_per_core": self.threads_per_core is not None,
            "spare": self.spare > 0,
            "next": self.capacity.next is not None,
        }
        more = (kind for kind, there in found.items() if there)
        return frozenset((self.capacity.kind, *more, *(self.model_fields_set & _KINDS)))


class Compute(Model):
    """The node groups of the cluster."""

    groups: Annotated[Sequence[Group], Field(min_length=1, max_length=100, description="Node groups.")]
