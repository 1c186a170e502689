"""How long a first deployment takes by published figures, and what decides it."""

from __future__ import annotations

from dataclasses import dataclass

from config.catalog.durations import durations
from config.design.deployment.forecast import forecast
from config.design.deployment.timing import longest_s, total_s
from config.design.model import Design
from config.records import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentStep:
    """One resource that takes its time, in seconds from the deployment's beginning.

    `critical` steps decide how long the deployment is: each begins when the one before it ends, which it
    `waits_because`. One without a `published` figure counts for nothing, and takes longer than told.
    """

    resource: str
    what: str
    begin_s: float
    end_s: float
    critical: bool
    published: bool
    waits_because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentReport:
    """The first deployment of a profile's stack, by the catalogue's figures (`durations.json`).

    `total_s` is the critical path's, `longest_s` that of the longest single resource. What no figure is
    published of is in neither; `unpublished` names it.
    """

    total_s: float
    longest_s: float
    steps: tuple[DeploymentStep, ...]

    @property
    def path(self) -> tuple[DeploymentStep, ...]:
        """The critical path, the first step first."""
        return tuple(step for step in self.steps if step.critical)

    @property
    def unpublished(self) -> tuple[DeploymentStep, ...]:
        """What takes its time without a published figure."""
        return tuple(step for step in self.steps if not step.published)


def deployment_report(design: Design) -> DeploymentReport | None:
    """The forecast of a design; None where its stack makes nothing that takes its time."""
    steps, times = forecast(design)
    if not times:
        return None
    types = {step.name: step.type for step in times}
    return DeploymentReport(
        total_s=total_s(times),
        longest_s=longest_s(times),
        steps=tuple(
            copied(
                DeploymentStep,
                step,
                resource=step.type,
                what=steps.found[step.name].what,
                published=step.seconds is not None,
                waits_because=_because(step.type, types[step.after]) if step.after else "",
            )
            for step in times
        ),
    )


def _because(of: str, on: str) -> str:
    wait = durations().waits.get((of, on))
    return wait.because if wait else ""
