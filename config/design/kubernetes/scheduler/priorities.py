"""Priorities of jobs as Kubernetes has them, for schedulers without priorities of their own."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.kubernetes.steps import Object
from config.profile.kubernetes.scheduler import Priority, Scheduling

DEFAULT = (Priority(name="low", value=-100), Priority(name="high", value=100))
"""The priorities of a profile that states none; jobs that name none have 0."""


def stated_priorities(scheduling: Scheduling) -> tuple[Priority, ...]:
    """The priorities by name."""
    stated = DEFAULT if scheduling.priorities is None else scheduling.priorities
    return tuple(sorted(stated, key=lambda priority: priority.name))


def priority_classes(scheduling: Scheduling) -> Iterator[Object]:
    """A PriorityClass for each; none is the default of all pods."""
    for priority in stated_priorities(scheduling):
        yield {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": priority.name},
            "value": priority.value,
            "globalDefault": False,
            "description": "Jobs of a higher value are before jobs of a lower one.",
        }
