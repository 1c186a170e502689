"""From when to when reserved machines are there, and what happens before they go."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from config.catalog import catalog
from config.profile.capacity.groups import AnyCapacity, CapacityBlock, TrainingPlan, ultraserver_of


@dataclass(frozen=True, slots=True, kw_only=True)
class LastStep:
    """One thing that happens `minutes_before` the end of a reservation, by itself."""

    minutes_before: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """When a reservation starts and ends, in UTC; None where the profile does not say."""

    start: datetime | None
    end: datetime | None
    last_steps: tuple[LastStep, ...]

    @property
    def length(self) -> timedelta | None:
        """How long the machines are reserved."""
        return self.end - self.start if self.start and self.end else None


def moment(text: str | None) -> datetime | None:
    """A minute in UTC as the profile writes it; None for none, and for a day that no month has."""
    if text is None:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def window_of(capacity: AnyCapacity, orchestrator: str | None) -> Window | None:
    """The window of a reservation that ends by itself; None for other machines."""
    if not isinstance(capacity, CapacityBlock | TrainingPlan):
        return None
    return Window(
        start=moment(capacity.start), end=moment(capacity.end), last_steps=last_steps(capacity, orchestrator)
    )


def last_steps(capacity: CapacityBlock | TrainingPlan, orchestrator: str | None) -> tuple[LastStep, ...]:
    """What happens before the end, the first first."""
    terms = catalog().reservations
    if isinstance(capacity, TrainingPlan):
        stop = terms.training_plan.stopped_minutes_before_end
        return (LastStep(minutes_before=stop, what="HyperPod stops the machines of the plan"),)
    block = terms.capacity_block
    gone = (
        block.ultraserver_terminated_minutes_before_end
        if ultraserver_of(capacity)
        else block.terminated_minutes_before_end
    )
    steps = [LastStep(minutes_before=gone, what="EC2 begins to terminate the machines of the block")]
    if orchestrator == "eks":
        scaled = LastStep(
            minutes_before=block.eks_scales_down_minutes_before_end, what="EKS scales the node group to 0"
        )
        steps.append(scaled)
    return tuple(sorted(steps, key=lambda step: -step.minutes_before))
