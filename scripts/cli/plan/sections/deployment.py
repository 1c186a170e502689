"""The deployment section of a plan: duration of a first deployment."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from config.design.report.deployment import DeploymentReport, DeploymentStep
from scripts.cli.plan.document import Writer

_SHORT = 0.05
"""Steps shorter than this share of the critical path are printed together."""


def write_deployment(out: Writer, report: DeploymentReport) -> None:
    """Write the total time, the critical path with reasons, and the steps without a published duration."""
    out.heading("deployment")
    if report.total_s:
        out.fact("total", f"{minutes(report.total_s)} for the first deployment, from published durations")
        out.fact("critical path", ", then ".join(_steps(report)))
        for before, step in pairwise(_decisive(report)):
            out.fact("", f"{step.what} waits for {before.what}: {step.waits_because}")
    if report.unpublished:
        out.fact("not included", f"{', '.join(_alike(report.unpublished))}: no duration is published")


def minutes(seconds: float) -> str:
    """Return a duration as text: `85 s`, `10 min`."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _decisive(report: DeploymentReport) -> list[DeploymentStep]:
    """Return the path's long steps, and steps without a published duration, because they may be long."""
    least = report.total_s * _SHORT
    return [step for step in report.path if step.end_s - step.begin_s >= least or not step.published]


def _steps(report: DeploymentReport) -> Iterable[str]:
    decisive = _decisive(report)
    short = [step for step in report.path if step not in decisive]
    if short:
        together = sum(step.end_s - step.begin_s for step in short)
        yield f"{' and '.join(step.what for step in short)} {minutes(together)}"
    for step in decisive:
        known = minutes(step.end_s - step.begin_s) if step.published else "(no published duration)"
        yield f"{step.what} {known}"


def _alike(steps: Iterable[DeploymentStep]) -> Iterable[str]:
    """Yield the name of each step; for several steps of one type, yield their number and the type."""
    kinds: dict[str, list[str]] = {}
    for step in steps:
        kinds.setdefault(step.resource, []).append(step.what)
    for kind, names in kinds.items():
        yield names[0] if len(names) == 1 else f"{len(names)} {_PLURALS.get(kind, kind)}"


_PLURALS = {
    "AWS::EC2::VPCEndpoint": "VPC endpoints",
    "AWS::EKS::Addon": "EKS add-ons",
    "AWS::PCS::ComputeNodeGroup": "PCS node groups",
    "AWS::PCS::Queue": "PCS queues",
}
