"""Explained differences between ultracluster's launch templates and ParallelCluster's.

The test fails for a difference without a row, and for a row without a difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.slurm.parallelcluster.cases import Machines

EC2 = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
"""Revision of 2026: `interface` and `efa-only` on card 0, `efa-only` at device 0 of every other card."""

SEVERAL_CARDS = (
    "p4d.24xlarge", "p4de.24xlarge", "p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge",
    "p6-b300.48xlarge", "p6e-gb200.36xlarge", "g6e.24xlarge", "g6e.48xlarge",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Explained:
    """A difference with its reason; an empty field applies to all types, capacities or layouts."""

    difference: str
    reason: str
    source: str
    types: Sequence[str] = ()
    capacities: Sequence[str] = ()
    layouts: Sequence[str] = ()

    def machines(self, compared: Sequence[Machines]) -> Iterator[Machines]:
        """Yield the compared instances to which the row applies."""
        for one in compared:
            if (
                (not self.types or one.instance_type in self.types)
                and (not self.capacities or one.capacity in self.capacities)
                and (not self.layouts or one.layout in self.layouts)
            ):
                yield one


def _device(cards: str, *types: str) -> Explained:
    return Explained(
        difference=f"efa-only at device 0 ours, 1 theirs, on cards {cards}",
        types=types,
        layouts=("ip-saving",),
        reason="EC2's documentation uses device 0 for EFA on further cards. ParallelCluster "
        "uses device 1 if a card has two, as an older revision did. EC2 launches both",
        source=EC2,
    )


def _public_address(layout: str, *types: str) -> Explained:
    return Explained(
        difference="only theirs: interfaces with AssociatePublicIpAddress: False",
        types=types,
        layouts=(layout,),
        reason="ultracluster does not set a public address, which EC2 rejects with several interfaces "
        "(EC2-08). ParallelCluster disables it on all interfaces except the primary one (AssignPublicIp)",
        source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html",
    )


EXPLAINED: Sequence[Explained] = (
    _device("1", "g6e.24xlarge"),
    _device("1-3", "p4d.24xlarge", "p4de.24xlarge", "g6e.48xlarge"),
    _device("1-7", "p6-b200.48xlarge"),
    _device("1-15", "p5en.48xlarge"),
    _device("1-16", "p6-b300.48xlarge"),
    _device("1-31", "p5.48xlarge", "p5e.48xlarge"),
    Explained(
        difference="efa at device 0 ours, 1 theirs, on cards 1-16",
        types=("p6-b300.48xlarge",),
        layouts=("all-efa",),
        reason="AWS's PCS template for p6-b300 with interfaces of type `efa` uses device 0",
        source="https://github.com/awslabs/awsome-distributed-ai/tree/main/architectures/aws-pcs",
    ),
    Explained(
        difference="only theirs: efa-only, on cards 2-4 6-8 10-12 14-16",
        types=("p6e-gb200.36xlarge",),
        reason="EC2's documentation recommends 4 cards of 400 Gbps, or 8 of 200, which the GPUs can use: "
        "two cards share one NIC. ParallelCluster configures EFA on all 16",
        source=EC2,
    ),
    Explained(
        difference="only ours: interfaces with DeleteOnTermination: True",
        reason="set explicitly, so that an interface is deleted with its node for every launch method",
        source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
        "aws-properties-ec2-launchtemplate-networkinterface.html",
    ),
    Explained(
        difference="only theirs: interfaces with SubnetId: given",
        reason="the node groups set the subnets, and EKS rejects templates that also set them (EC2-12)",
        source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
    ),
    _public_address("ip-saving"),
    _public_address("all-efa", *SEVERAL_CARDS),
    Explained(
        difference="only theirs: InstanceMarketOptions",
        capacities=("spot",),
        reason="an EKS node group has a key for Spot Instances and rejects a template that requests them. "
        "ParallelCluster launches with the template directly",
        source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
    ),
    Explained(
        difference="only theirs: InstanceType",
        layouts=("all-efa",),
        reason="PCS reads the type from the node group, and from the template only for a Capacity Block",
        source="https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-configure-cng.html",
    ),
)
