"""The fit of a design: its model, its GPUs, and the best splits."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.capacity.groups import GroupPlan
from config.design.workload.fit.machines import Machines, machines_for
from config.design.workload.fit.search import Found, search
from config.design.workload.fit.shape import Model, Split, model_of
from config.design.workload.fit.split import Outcome, outcome
from config.profile.workload import Parallelism, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The fit, for the plan and the rules; `outcomes` has only the profile's split, or the best splits."""

    workload: Workload
    model: Model
    machines: Machines
    declared: bool
    possible: int
    fitting: int
    outcomes: tuple[Outcome, ...]


def judged(workload: Workload | None, groups: tuple[GroupPlan, ...]) -> Judged | None:
    """Return the fit of a workload to the largest GPU group; None without a workload or GPUs."""
    machines = machines_for(groups, workload.precision) if workload else None
    if workload is None or machines is None:
        return None
    model = model_of(workload)
    if workload.parallelism is not None:
        split = split_of(workload.parallelism, machines)
        outcomes = tuple(outcome(model, machines, one) for one in (split,) if one)
        found = Found(
            possible=len(outcomes), fitting=sum(one.fits(machines) for one in outcomes), best=outcomes
        )
    else:
        found = search(model, machines)
    return Judged(
        workload=workload,
        model=model,
        machines=machines,
        declared=workload.parallelism is not None,
        possible=found.possible,
        fitting=found.fitting,
        outcomes=found.best,
    )


def split_of(declared: Parallelism, machines: Machines) -> Split | None:
    """Return the profile's split with the number of its replicas; None if one replica exceeds the group."""
    inner = declared.tensor * declared.context * declared.pipeline
    data = declared.data or machines.gpus // inner
    if not data:
        return None
    return Split(
        tensor=declared.tensor,
        pipeline=declared.pipeline,
        context=declared.context,
        data=data,
        expert=declared.expert,
    )
