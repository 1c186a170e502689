"""Purchase option of a node group, in the terms of each service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal

from config.catalog import catalog
from config.catalog.capacity.control_planes import CapacityBlockTerms, TrainingPlanTerms
from config.design.capacity.windows import LastStep, Window, moment
from config.profile.capacity.groups import AnyCapacity

CapacityType = Literal["ON_DEMAND", "SPOT", "CAPACITY_BLOCK"]
PurchaseOption = Literal["ONDEMAND", "SPOT", "CAPACITY_BLOCK"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """The profile's `capacity`, with the terms that each service uses for it.

    `eks`: CapacityType of a node group. `pcs`: PurchaseOption of PCS and CapacityType of ParallelCluster.
    `karpenter`: capacity type of a NodePool. `market`: MarketType of a launch template; None for Spot,
    because EKS rejects a launch template that requests Spot. `price`: type of list price in the catalogue;
    None if AWS does not publish one. `ec2_quota`, `hyperpod_quota`: quotas that the instances count against.
    `interruptible`: EC2 can interrupt the instances at any time. `launches_later`: control planes that accept
    a reservation before its start, and launch the nodes then.
    """

    capacity: AnyCapacity
    called: str = "reservation"
    service: Literal["EC2", "SageMaker"] = "EC2"
    listed_by: str = "aws ec2 describe-capacity-reservations"
    described_by: str = "aws ec2 describe-capacity-reservations"
    eks: CapacityType = "ON_DEMAND"
    pcs: PurchaseOption = "ONDEMAND"
    karpenter: str = "on-demand"
    market: Literal["capacity-block"] | None = None
    price: Literal["on-demand", "capacity-block"] | None = None
    ec2_quota: Literal["on-demand", "spot"] | None = None
    hyperpod_quota: str = "sagemaker.instances"
    interruptible: bool = False
    launches_later: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """True if EC2 first uses any open reservation that matches, and otherwise on-demand capacity."""
        return self.capacity.match == "open"

    @property
    def karpenter_types(self) -> list[str]:
        """Capacity types of a Karpenter node pool; only `reserved` lets the pool use a reservation."""
        return [self.karpenter, *(["on-demand"] if self.open else [])]

    @property
    def block(self) -> CapacityBlockTerms | None:
        """Limits of Capacity Blocks; None for other purchase options."""
        return catalog().reservations.capacity_block if self.market else None

    @property
    def plan(self) -> TrainingPlanTerms | None:
        """Limits of training plans; None for other purchase options."""
        return catalog().reservations.training_plan if self.service == "SageMaker" else None

    def window(self, orchestrator: str | None) -> Window | None:
        """Return the start and end of a Capacity Block or training plan; None for other purchase options."""
        steps = self._last_steps(orchestrator)
        start, end = moment(self.capacity.start), moment(self.capacity.end)
        return Window(start=start, end=end, last_steps=steps) if steps else None

    def _last_steps(self, orchestrator: str | None) -> tuple[LastStep, ...]:
        """Return the steps before the end, ordered by time."""
        if self.plan:
            stop = self.plan.stopped_minutes_before_end
            return (LastStep(minutes_before=stop, what="HyperPod stops the instances of the training plan"),)
        block = self.block
        if block is None:
            return ()
        minutes = (
            block.ultraserver_terminated_minutes_before_end
            if self.capacity.ultraserver
            else block.terminated_minutes_before_end
        )
        what = "EC2 starts to terminate the instances of the Capacity Block"
        steps = [LastStep(minutes_before=minutes, what=what)]
        if orchestrator == "eks":
            scaled = block.eks_scales_down_minutes_before_end
            steps.append(LastStep(minutes_before=scaled, what="EKS scales the node group to 0"))
        return tuple(sorted(steps, key=lambda step: -step.minutes_before))


_BY_KIND: Mapping[str, Callable[..., Purchase]] = {
    "on-demand": partial(Purchase, price="on-demand", ec2_quota="on-demand"),
    "spot": partial(
        Purchase, eks="SPOT", pcs="SPOT", karpenter="spot", ec2_quota="spot",
        hyperpod_quota="sagemaker.spot-instances", interruptible=True,
    ),
    "odcr": partial(Purchase, karpenter="reserved", price="on-demand", ec2_quota="on-demand"),
    "capacity-block": partial(
        Purchase, called="Capacity Block", eks="CAPACITY_BLOCK", pcs="CAPACITY_BLOCK", karpenter="reserved",
        market="capacity-block", price="capacity-block", launches_later=("pcs",),
    ),
    "training-plan": partial(
        Purchase, called="training plan", service="SageMaker", hyperpod_quota="sagemaker.reserved",
        listed_by="aws sagemaker list-training-plans", described_by="aws sagemaker describe-training-plan",
        launches_later=("hyperpod-slurm", "hyperpod-eks"),
    ),
}  # fmt: skip


@lru_cache(maxsize=1024)
def purchase_of(capacity: AnyCapacity) -> Purchase:
    """Return the purchase option for the `capacity` of a group."""
    return _BY_KIND[capacity.kind](capacity=capacity)
