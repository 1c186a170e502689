"""The machines of a profile: groups of nodes and where their capacity comes from."""

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
    """What every kind answers of its machines; a key that a kind does not have is None."""

    reserved: ClassVar[bool] = True
    paid_in_advance: ClassVar[bool] = False

    @property
    def reservation_key(self) -> str | None:
        """The key that names the reservation; None for machines that are not reserved by name."""
        keys = ("arn", "reservation_id", "resource_group_arn")
        return next((key for key in keys if getattr(self, key, None)), None)

    @property
    def reservation(self) -> str | None:
        """The id or ARN of the reservation; None for machines that are not reserved by name."""
        named: str | None = getattr(self, self.reservation_key or "", None)
        return named


class _Unreserved(_Capacity):
    """Machines that are bought as they start."""

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
    """Machines on demand."""

    kind: Literal["on-demand"]


class Spot(_Unreserved):
    """Spot machines, taken back at two minutes' notice."""

    kind: Literal["spot"]


Instances = Annotated[
    int | None,
    Field(
        ge=1,
        le=6758,
        description="Machines that the reservation holds: `ultracluster review` tells when a change needs more "
        "at once; default: unknown.",
    ),
]


ReservedZone = Annotated[
    ZoneId | None,
    Field(description="Zone id that the reservation lies in, as EC2 states; default: not compared."),
]
UltraServerName = Annotated[
    str | None,
    Field(description="UltraServer that is reserved, for p6e-gb200: `u-p6e-gb200x36` or `u-p6e-gb200x72`."),
]
Start = Annotated[
    str | None, Field(pattern=MOMENT, description="When the reservation starts, in UTC: 2027-01-04T11:30Z.")
]
End = Annotated[
    str | None, Field(pattern=MOMENT, description="When the reservation ends, in UTC: 2027-01-18T11:30Z.")
]


class _Next(Model):
    """What follows a reservation; `key` is the one that names it."""

    key: ClassVar[str] = "reservation_id"

    @property
    def name(self) -> str:
        """Its id or ARN."""
        return str(getattr(self, self.key))


class NextReservation(_Next):
    """The reservation that follows an ODCR."""

    start: ClassVar[None] = None
    end: ClassVar[None] = None

    reservation_id: Annotated[str, Field(description="Id of the next reservation: cr-0123456789abcdef0.")]
    availability_zone_id: ReservedZone = None
    instances: Instances = None


class NextBlock(_Next):
    """The Capacity Block that follows another."""

    reservation_id: Annotated[str, Field(description="Id of the next block: cr-0123456789abcdef0.")]
    availability_zone_id: ReservedZone = None
    instances: Instances = None
    start: Start = None
    end: End = None


class NextPlan(_Next):
    """The training plan that follows another."""

    key: ClassVar[str] = "arn"

    arn: Annotated[str, Field(description="ARN of the next training plan.")]
    availability_zone_id: ReservedZone = None
    instances: Instances = None
    start: Start = None
    end: End = None


AnyNext = NextReservation | NextBlock | NextPlan
_NEXT = "What follows when this one ends: `ultracluster rotate` writes the profile that uses it. Deployments do not."


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
            description="targeted: launches name the reservation; open: EC2 uses any open reservation that fits, and "
            "machines on demand beyond it."
        ),
    ] = "targeted"
    reservation_id: Annotated[
        str | None, Field(description="Id of a targeted reservation: cr-0123456789abcdef0.")
    ] = None
    resource_group_arn: Annotated[
        str | None,
        Field(description="ARN of a resource group of reservations, in the place of one id."),
    ] = None
    availability_zone_id: ReservedZone = None
    placement_group: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=255,
            description="Name of the cluster placement group that the reservation was made in; default: none.",
        ),
    ] = None
    instances: Instances = None
    next: Annotated[NextReservation | None, Field(description=_NEXT)] = None


class CapacityBlock(_Capacity):
    """An EC2 Capacity Block: machines reserved from one date to another."""

    paid_in_advance: ClassVar[bool] = True
    arn: ClassVar[None] = None
    match: ClassVar[None] = None
    placement_group: ClassVar[None] = None
    resource_group_arn: ClassVar[None] = None

    kind: Literal["capacity-block"]
    reservation_id: Annotated[str, Field(description="Id of the Capacity Block: cr-0123456789abcdef0.")]
    availability_zone_id: ReservedZone = None
    ultraserver: UltraServerName = None
    instances: Instances = None
    start: Start = None
    end: End = None
    next: Annotated[NextBlock | None, Field(description=_NEXT)] = None


class TrainingPlan(_Capacity):
    """A SageMaker training plan: machines reserved for HyperPod from one date to another."""

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
        ZoneId, Field(description="The plan's zone id, as its reserved capacity states.")
    ]
    ultraserver: UltraServerName = None
    instances: Instances = None
    start: Start = None
    end: End = None
    next: Annotated[NextPlan | None, Field(description=_NEXT)] = None


AnyCapacity = OnDemand | Spot | CapacityReservation | CapacityBlock | TrainingPlan
Capacity = Annotated[AnyCapacity, Field(discriminator="kind")]


class NewPlacementGroup(Model):
    """A cluster placement group of the group's own."""

    kind: Literal["new"]


class ExistingPlacementGroup(Model):
    """A cluster placement group that exists already."""

    kind: Literal["existing"]
    name: Annotated[str, Field(min_length=1, max_length=255, description="Name of the placement group.")]


PlacementGroup = Annotated[NewPlacementGroup | ExistingPlacementGroup, Field(discriminator="kind")]


DeepHealthCheck = Literal["instance-stress", "instance-connectivity", "multi-node-training-validation"]
VolumeKey = Annotated[str | None, Field(pattern=KMS_KEY_ARN)]


class Efa(Model):
    """The elastic fabric adapters of a node, for orchestrators that have launch templates."""

    layout: Annotated[
        Literal["ip-saving", "max-ena", "none"],
        Field(
            description="ip-saving: one address a node; max-ena: all of the ENA bandwidth too; none: no EFA."
        ),
    ]


_KINDS = frozenset(
    (
        "deep_health_checks", "fallback_instance_types", "min_count", "volume_key_arn", "root_volume_key_arn",
        "ami_id", "scheduled_update", "auto_patch", "labels", "taints", "image_release",
    )
)  # fmt: skip
"""Keys of a group that are kinds of their own."""


class Group(Model):
    """A group of like nodes."""

    name: Annotated[Name, Field(description="Name of the group.")]
    role: Annotated[
        Literal["compute", "login", "controller", "system"],
        Field(description="What its nodes do; only compute nodes run jobs."),
    ]
    instance_type: Annotated[str, Field(description="EC2 name of the type, without `ml.`: p6-b200.48xlarge.")]
    fallback_instance_types: Annotated[
        Sequence[str],
        Field(
            max_length=19,
            description="Types that HyperPod takes where `instance_type` cannot be had, the first before the second; "
            "continuous provisioning alone.",
        ),
    ] = ()
    count: Annotated[int, Field(ge=0, le=6758, description="Nodes in the group.")]
    min_count: Annotated[
        int | None,
        Field(
            ge=1,
            le=6758,
            description="Nodes without which the group is given up after 3 hours; continuous provisioning alone. "
            "Default: none, it waits for ever.",
        ),
    ] = None
    spare: Annotated[
        int,
        Field(
            ge=0,
            le=6758,
            description="Nodes of `count` that no job gets while all are well: they stand in for nodes that fail.",
        ),
    ] = 0
    capacity: Annotated[Capacity, Field(description="Where the machines come from.")] = (
        OnDemand.model_construct(kind="on-demand")
    )
    zone: Annotated[
        Zone | None,
        Field(description="Zone of the group, one of the network's secondary zones; default: the profile's."),
    ] = None
    efa: Annotated[
        Efa | None,
        Field(description="Interfaces of a node, for eks and pcs; HyperPod lays them out itself."),
    ] = None
    placement_group: Annotated[
        PlacementGroup | None,
        Field(
            description="Cluster placement group that the nodes are launched into; default: none, and none is ever "
            "added silently."
        ),
    ] = None
    partition: Annotated[
        Name | None, Field(description="Slurm partition (PCS: queue) of a compute group; default: its name.")
    ] = None
    deep_health_checks: Annotated[
        Sequence[DeepHealthCheck] | None,
        Field(description="HyperPod's checks at node start; default: all that the group can run."),
    ] = None
    threads_per_core: Annotated[
        Literal[1, 2] | None,
        WHOLE,
        Field(description="Threads of a core that nodes show; default: what the type has."),
    ] = None
    volume_gib: Annotated[
        int,
        Field(ge=1, le=16384, description="EBS volume of a node beside its root, at /opt/sagemaker, in GiB."),
    ] = 500
    ami_id: Annotated[
        str | None,
        Field(
            pattern=AMI_ID,
            description="Image of the nodes: ami-0123456789abcdef0. Default: the newest of the service; under pcs that "
            "may be another one at every update.",
        ),
    ] = None
    image_release: Annotated[
        str | None,
        Field(
            pattern=HYPERPOD_RELEASE,
            max_length=64,
            description="Release of HyperPod's own image, for hyperpod-eks: 1.0.7. Default: the newest of the day.",
        ),
    ] = None
    labels: Annotated[
        Labels | None,
        Field(description="Labels of the nodes in Kubernetes: {team: research}; default: none."),
    ] = None
    taints: Annotated[
        Sequence[Taint],
        Field(max_length=50, description="Taints of the nodes in Kubernetes; default: none."),
    ] = ()
    root_device: Annotated[
        str,
        Field(
            pattern=DEVICE,
            description="Device of the image's root volume: /dev/sda1 on Ubuntu, /dev/xvda on Amazon Linux.",
        ),
    ] = "/dev/sda1"
    root_volume_gib: Annotated[
        int | None,
        Field(ge=75, le=16384, description="Root volume of a node in GiB, for pcs; default: 300."),
    ] = None
    scaling: Annotated[
        Literal["static", "dynamic"],
        Field(
            description="Of a PCS group. static: `count` nodes, always; dynamic: from none to `count`, as jobs ask."
        ),
    ] = "static"
    idle_seconds: Annotated[
        int | None,
        Field(
            ge=1,
            le=LONGEST_IDLE_S,
            description="Seconds without a job after which nodes of a dynamic PCS group go, from Slurm 25.11 on; "
            "default: the cluster's.",
        ),
    ] = None
    slurm_settings: Annotated[
        SlurmSettings,
        Field(description="Slurm's settings of a PCS group's nodes: `Weight: 10`."),
    ] = NO_SETTINGS
    volume_key_arn: Annotated[
        VolumeKey, Field(description="KMS key of that volume; default: one of HyperPod's.")
    ] = None
    root_volume_key_arn: Annotated[
        VolumeKey, Field(description="KMS key of the root volume; default: one of HyperPod's.")
    ] = None
    scheduled_update: Annotated[
        ScheduledUpdate | None,
        Field(description="HyperPod's updates of the image by the clock; default: none."),
    ] = None
    auto_patch: Annotated[
        AutoPatch | None,
        Field(description="HyperPod's patches of the image as nodes are idle; default: none."),
    ] = None

    @property
    def kinds(self) -> frozenset[str]:
        """Words for how the machines are bought, and for what the group has beyond the common."""
        found = {
            "login": self.role == "login",
            "threads_per_core": self.threads_per_core is not None,
            "spare": self.spare > 0,
            "next": self.capacity.next is not None,
        }
        more = (kind for kind, there in found.items() if there)
        return frozenset((self.capacity.kind, *more, *(self.model_fields_set & _KINDS)))


class Compute(Model):
    """The machines of the cluster."""

    groups: Annotated[Sequence[Group], Field(min_length=1, max_length=100, description="Groups of nodes.")]
