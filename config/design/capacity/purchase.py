"""How the machines of a group are bought: one decision, in the words of each service."""

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
    """The capacity as the profile states it, with each service's terms for its kind.

    `eks` is the CapacityType of a node group, `pcs` the PurchaseOption of PCS and the CapacityType of
    ParallelCluster, `karpenter` the capacity type of a pool, `market` the MarketType of a launch template
    (Spot has none there: the node group asks for it, and EKS refuses a template that does so too).
    `price` is the kind of price that the catalogue lists, None where no source lists one. `ec2_quota` and
    `hyperpod_quota` name the quotas that the machines count against. EC2 takes `interruptible` machines back
    at any time. Control planes of `launches_later` accept a reservation that has not begun, and wait for it.
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
        """Whether any open reservation that fits is used, and machines on demand beyond it."""
        return self.capacity.match == "open"

    @property
    def karpenter_types(self) -> list[str]:
        """The capacity types of a Karpenter pool: it uses a reservation only where one is named so."""
        return [self.karpenter, *(["on-demand"] if self.open else [])]

    @property
    def block(self) -> CapacityBlockTerms | None:
        """How EC2 sells the Capacity Block; None for other machines."""
        return catalog().reservations.capacity_block if self.market else None

    @property
    def plan(self) -> TrainingPlanTerms | None:
        """How SageMaker sells the training plan; None for other machines."""
        return catalog().reservations.training_plan if self.service == "SageMaker" else None

    def window(self, orchestrator: str | None) -> Window | None:
        """The window of a reservation that has an end; None for other machines."""
        steps = self._last_steps(orchestrator)
        start, end = moment(self.capacity.start), moment(self.capacity.end)
        return Window(start=start, end=end, last_steps=steps) if steps else None

    def _last_steps(self, orchestrator: str | None) -> tuple[LastStep, ...]:
        """What happens before the end, the first first."""
        if self.plan:
            stop = self.plan.stopped_minutes_before_end
            return (LastStep(minutes_before=stop, what="HyperPod stops the machines of the plan"),)
        block = self.block
        if block is None:
            return ()
        gone = (
            block.ultraserver_terminated_minutes_before_end
            if self.capacity.ultraserver
            else block.terminated_minutes_before_end
        )
        steps = [LastStep(minutes_before=gone, what="EC2 begins to terminate the machines of the block")]
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
    """The purchase of a group's machines."""
    return _BY_KIND[capacity.kind](capacity=capacity)
