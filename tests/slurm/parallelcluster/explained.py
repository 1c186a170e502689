"""Why our launch templates differ from ParallelCluster's: every difference there is, and on which machines.

A difference without a row fails the test, and so does a row whose difference is no longer there.
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
    """One difference. A field that is empty means all types, capacities or layouts."""

    difference: str
    reason: str
    source: str
    types: Sequence[str] = ()
    capacities: Sequence[str] = ()
    layouts: Sequence[str] = ()

    def machines(self, compared: Sequence[Machines]) -> Iterator[Machines]:
        """The machines that the row says the difference is on."""
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
        reason="EC2's page puts the EFA of a further card at device 0, which every card has; ParallelCluster "
        "takes device 1 wherever a card has two, as the page's older revision did; EC2 launches both",
        source=EC2,
    )


def _public_address(layout: str, *types: str) -> Explained:
    return Explained(
        difference="only theirs: interfaces with AssociatePublicIpAddress: False",
        types=types,
        layouts=(layout,),
        reason="no interface of ours names a public address, which EC2 refuses beside several interfaces "
        "(EC2-08); theirs says no on all but the primary one, where the queue's AssignPublicIp goes",
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
        reason="AWS's own PCS template of p6-b300, with interfaces of the kind `efa`, has them at device 0",
        source="https://github.com/awslabs/awsome-distributed-ai/tree/main/architectures/aws-pcs",
    ),
    Explained(
        difference="only theirs: efa-only, on cards 2-4 6-8 10-12 14-16",
        types=("p6e-gb200.36xlarge",),
        reason="EC2's page recommends 4 cards of 400 Gbps, or 8 of 200, which is all that the GPUs can use: "
        "two cards share one NIC; ParallelCluster puts EFA on all 16",
        source=EC2,
    ),
    Explained(
        difference="only ours: interfaces with DeleteOnTermination: True",
        reason="said, so that an interface goes with its node whatever launches it",
        source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
        "aws-properties-ec2-launchtemplate-networkinterface.html",
    ),
    Explained(
        difference="only theirs: interfaces with SubnetId: given",
        reason="our node groups name the subnets, and refuse templates that name them too (EC2-12)",
        source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
    ),
    _public_address("ip-saving"),
    _public_address("all-efa", *SEVERAL_CARDS),
    Explained(
        difference="only theirs: InstanceMarketOptions",
        capacities=("spot",),
        reason="an EKS node group asks for spot machines by a key of its own and refuses a template that "
        "does; ParallelCluster launches with the template itself",
        source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
    ),
    Explained(
        difference="only theirs: InstanceType",
        layouts=("all-efa",),
        reason="PCS takes the type from the node group, and from the template of a Capacity Block alone",
        source="https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-configure-cng.html",
    ),
)
