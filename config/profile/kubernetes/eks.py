"""Profile keys of Amazon EKS with managed node groups."""

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
        description="Maximum number of pods on a node, including system pods. Default: the number of pod IP "
        "addresses of its interfaces.",
    ),
]
NodeCondition = Literal["accelerated-hardware", "container-runtime", "kernel", "networking", "storage"]
RepairAction = Literal["replace", "reboot", "none"]


class NodeImage(Model):
    """The EKS node image."""

    family: Annotated[
        Literal["al2023", "bottlerocket"],
        Field(
            description="al2023: Amazon Linux 2023; bottlerocket: an operating system that runs only containers."
        ),
    ] = "al2023"
    release: Annotated[
        str | None,
        Field(
            pattern=IMAGE_RELEASE,
            description="Release of the image: 1.35.6-20260714 of al2023, 1.58.0-c5c37032 of bottlerocket. "
            "Default: the release in docs/reference/catalogue.md; for bottlerocket the newest.",
        ),
    ] = None


class RepairOverride(Model):
    """A repair action for one fault reason, instead of EKS's default action."""

    condition: Annotated[
        NodeCondition,
        Field(description="Condition that the node monitoring agent reports, in its short form."),
    ]
    reason: Annotated[
        str,
        Field(
            pattern=REPAIR_REASON, max_length=128, description="Reason of the condition: NvidiaXID79Error."
        ),
    ]
    action: Annotated[
        RepairAction,
        Field(
            description="Action of EKS. `none`: EKS does not change the node, which still reports the condition."
        ),
    ]
    wait_minutes: Annotated[
        int, Field(ge=1, le=10080, description="Minutes that the condition lasts before EKS acts.")
    ] = 10


class NodeRepair(Model):
    """Automatic node repair of EKS."""

    enabled: Annotated[bool, Field(description="False: EKS does not repair nodes.")] = True
    max_parallel: Annotated[
        int,
        Field(
            ge=1, le=6758, description="Maximum number of nodes of a group that EKS repairs at the same time."
        ),
    ] = 1
    max_unhealthy: Annotated[
        int | None,
        Field(
            ge=1,
            le=6758,
            description="Number of unhealthy nodes of a group above which EKS stops repairs. Default: 20 % in "
            "groups of more than five nodes.",
        ),
    ] = None
    overrides: Annotated[
        Sequence[RepairOverride],
        Field(
            max_length=50,
            description="Repair actions for single reasons. Default: reserved GPU nodes are rebooted if EKS would "
            "replace them.",
        ),
    ] = ()


class Eks(Kubernetes):
    """Amazon EKS with managed node groups."""

    kind: Literal["eks"]
    pods_per_node: PodsPerNode = None
    node_image: Annotated[NodeImage, Field(description="Node image.")] = NodeImage.model_construct()
    node_repair: Annotated[NodeRepair, Field(description="Repair of unhealthy nodes.")] = (
        NodeRepair.model_construct()
    )
    karpenter: Annotated[
        Karpenter | None,
        Field(description="Karpenter for some of the groups. Default: all groups are managed node groups."),
    ] = None
