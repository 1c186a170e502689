"""All that the stack of a profile costs: its machines, and what stands beside them."""

from __future__ import annotations

from config.design.cost import Cost, machine_costs
from config.design.cost_services import service_costs
from config.design.model import Design


def plan_cost(design: Design) -> Cost:
    """The items of a design in their order, each with its listed price or without one."""
    plane = design.profile.orchestrator
    hyperpod = plane is not None and plane.kind.startswith("hyperpod")
    machines = machine_costs(design.profile.region, design.groups, hyperpod=hyperpod)
    return Cost(lines=(*machines, *service_costs(design)))
