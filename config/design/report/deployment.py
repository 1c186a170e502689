"""The deployment report of a plan: duration and critical path of a first deployment."""

from __future__ import annotations

from dataclasses import dataclass

from config.catalog.durations import durations
from config.design.deployment.forecast import forecast
from config.design.deployment.timing import longest_s, total_s
from config.design.model import Design
from config.records import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentStep:
    """One slow resource, with times in seconds from the start of the deployment.

    `critical` steps determine the total time. Each critical step starts when the critical step before it
    ends; `waits_because` is the reason. A step without a published duration (`published` is false) is
    reported with 0 s, but takes longer.
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
    """The first deployment of a profile's stack, from the durations in the catalogue (`durations.json`).

    `total_s` is the duration of the critical path. `longest_s` is the duration of the slowest resource.
    Neither value includes the steps in `unpublished`.
    """

    total_s: float
    longest_s: float
    steps: tuple[DeploymentStep, ...]

    @property
    def path(self) -> tuple[DeploymentStep, ...]:
        """The critical path, in order."""
        return tuple(step for step in self.steps if step.critical)

    @property
    def unpublished(self) -> tuple[DeploymentStep, ...]:
        """The slow steps without a published duration."""
        return tuple(step for step in self.steps if not step.published)


def deployment_report(design: Design) -> DeploymentReport | None:
    """Return the forecast of a design; None if its stack does not create slow resources."""
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
