"""How long a deployment takes, as text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from config.design.report.deployment import DeploymentReport, DeploymentStep
from scripts.cli.plan.document import Writer

_SHORT = 0.05
"""Steps of the path that are shorter than this part of it are told together."""


def write_deployment(out: Writer, report: DeploymentReport) -> None:
    """How long in all, what decides it and why, and what has no published figure."""
    out.heading("deployment")
    if report.total_s:
        out.fact("in all", f"{minutes(report.total_s)} for the first one, by published figures")
        out.fact("path", ", then ".join(_told(report)))
        for before, step in pairwise(_decisive(report)):
            out.fact("", f"{step.what} after {before.what}: {step.waits_because}")
    if report.unpublished:
        out.fact("beside", f"no figure is published of {', '.join(_alike(report.unpublished))}")


def minutes(seconds: float) -> str:
    """A length of time in the unit that people think in."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _decisive(report: DeploymentReport) -> list[DeploymentStep]:
    """The steps of the path that matter; one without a figure may."""
    least = report.total_s * _SHORT
    return [step for step in report.path if step.end_s - step.begin_s >= least or not step.published]


def _told(report: DeploymentReport) -> Iterable[str]:
    decisive = _decisive(report)
    short = [step for step in report.path if step not in decisive]
    if short:
        together = sum(step.end_s - step.begin_s for step in short)
        yield f"{' and '.join(step.what for step in short)} {minutes(together)}"
    for step in decisive:
        known = minutes(step.end_s - step.begin_s) if step.published else "(no figure)"
        yield f"{step.what} {known}"


def _alike(steps: Iterable[DeploymentStep]) -> Iterable[str]:
    """Each by what it is, those of one type by their number."""
    kinds: dict[str, list[str]] = {}
    for step in steps:
        kinds.setdefault(step.resource, []).append(step.what)
    for kind, names in kinds.items():
        yield names[0] if len(names) == 1 else f"{len(names)} {_PLURALS.get(kind, kind)}"


_PLURALS = {
    "AWS::EC2::VPCEndpoint": "VPC endpoints",
    "AWS::EKS::Addon": "add-ons of EKS",
    "AWS::PCS::ComputeNodeGroup": "node groups of PCS",
    "AWS::PCS::Queue": "queues of PCS",
}
