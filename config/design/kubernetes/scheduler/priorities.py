"""Job priorities as Kubernetes PriorityClasses, for schedulers without their own priorities."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.kubernetes.steps import Object
from config.profile.kubernetes.scheduler import Priority, Scheduling

DEFAULT = (Priority(name="low", value=-100), Priority(name="high", value=100))
"""Default priorities of a profile; a job without a priority class has priority 0."""


def declared_priorities(scheduling: Scheduling) -> tuple[Priority, ...]:
    """Return the priorities by name."""
    priorities = DEFAULT if scheduling.priorities is None else scheduling.priorities
    return tuple(sorted(priorities, key=lambda priority: priority.name))


def priority_classes(scheduling: Scheduling) -> Iterator[Object]:
    """Return a PriorityClass for each priority, without a default for all pods."""
    for priority in declared_priorities(scheduling):
        yield {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": priority.name},
            "value": priority.value,
            "globalDefault": False,
            "description": "Jobs with a higher value start before jobs with a lower value.",
        }
