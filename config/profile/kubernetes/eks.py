"""Amazon EKS with managed node groups: what a profile says of it."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import IMAGE_RELEASE, REPAIR_REASON, Model, Sequence
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.karpenter import Karpenter

PodsPerNode = Annotated[
    int | None,
    Field(
        ge=4,
        le=737,
        description="Pods that a node may run, those of the system included; default: as many as its interfaces "
        "have addresses for.",
    ),
]
NodeCondition = Literal["accelerated-hardware", "container-runtime", "kernel", "networking", "storage"]
RepairAction = Literal["replace", "reboot", "none"]


class NodeImage(Model):
    """The image that EKS makes for its nodes."""

    family: Annotated[
        Literal["al2023", "bottlerocket"],
        Field(description="al2023: Amazon Linux 2023; bottlerocket: a system for containers alone."),
    ] = "al2023"
    release: Annotated[
        str | None,
        Field(
            pattern=IMAGE_RELEASE,
            description="Release of the image: 1.35.6-20260714 of al2023, 1.58.0-c5c37032 of bottlerocket. Default: the "
            "one of docs/reference/catalogue.md; of bottlerocket the newest.",
        ),
    ] = None


class RepairOverride(Model):
    """What EKS does when a node reports one reason, in the place of what it would do by itself."""

    condition: Annotated[
        NodeCondition, Field(description="Condition that the node monitoring agent reports, in short.")
    ]
    reason: Annotated[
        str, Field(pattern=REPAIR_REASON, max_length=128, description="Reason of it: NvidiaXID79Error.")
    ]
    action: Annotated[RepairAction, Field(description="none: nothing; the node stays, and says what it has.")]
    wait_minutes: Annotated[
        int, Field(ge=1, le=10080, description="Minutes that the condition lasts before anything is done.")
    ] = 10


class NodeRepair(Model):
    """How EKS repairs nodes by itself."""

    enabled: Annotated[bool, Field(description="False: EKS leaves every node as it is.")] = True
    max_parallel: Annotated[
        int, Field(ge=1, le=6758, description="Nodes of a group that are repaired at once.")
    ] = 1
    max_unhealthy: Annotated[
        int | None,
        Field(
            ge=1,
            le=6758,
            description="Unhealthy nodes of a group above which EKS stops; default: 20 % of more than five.",
        ),
    ] = None
    overrides: Annotated[
        Sequence[RepairOverride],
        Field(
            max_length=50,
            description="What is done for single reasons. Default: reserved GPU nodes are rebooted where EKS would "
            "replace them.",
        ),
    ] = ()


class Eks(Kubernetes):
    """Amazon EKS with managed node groups."""

    kind: Literal["eks"]
    pods_per_node: PodsPerNode = None
    node_image: Annotated[NodeImage, Field(description="The image of the nodes.")] = (
        NodeImage.model_construct()
    )
    node_repair: Annotated[NodeRepair, Field(description="What EKS does about nodes that are not well.")] = (
        NodeRepair.model_construct()
    )
    karpenter: Annotated[
        Karpenter | None,
        Field(description="Karpenter for some of the groups; default: all are managed node groups."),
    ] = None
