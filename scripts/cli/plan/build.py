"""Build the document of a plan from its report; every output form shows the same document."""

from __future__ import annotations

from collections.abc import Iterable

from config.design.report.plan import PlanReport
from config.diagnostics import Diagnostic
from scripts.cli.plan.document import Document, Writer
from scripts.cli.plan.sections.calendar import write_calendar
from scripts.cli.plan.sections.compute import write_compute
from scripts.cli.plan.sections.deployment import write_deployment
from scripts.cli.plan.sections.images import write_images
from scripts.cli.plan.sections.jobs import write_jobs
from scripts.cli.plan.sections.network import write_closure, write_network
from scripts.cli.plan.sections.observability import write_observability
from scripts.cli.plan.sections.price import write_costs
from scripts.cli.plan.sections.quotas import write_quotas
from scripts.cli.plan.sections.storage import write_storage


def document_of(plan: PlanReport, diagnostics: Iterable[Diagnostic]) -> Document:
    """Return the document of a plan, section by section."""
    out = Writer()
    _write_lead(out, plan)
    if plan.groups:
        write_compute(out, plan)
    if plan.jobs:
        write_jobs(out, plan.jobs)
    if plan.subnets:
        write_network(out, plan)
    if plan.closed:
        write_closure(out, plan)
    _write_parts(out, plan)
    if plan.deployment:
        write_deployment(out, plan.deployment)
    write_costs(out, plan)
    write_quotas(out, plan)
    if plan.waivers:
        out.heading("waivers")
        out.table(("code", "reason"), [(waiver.code, waiver.reason) for waiver in plan.waivers])
    return out.document(plan.profile, diagnostics)


def refused(profile: str, diagnostics: Iterable[Diagnostic]) -> Document:
    """Return the document of a profile with errors: only its findings."""
    out = Writer()
    out.line(f"{profile} has errors; fix them to see the plan")
    return out.document(profile, diagnostics)


def _write_lead(out: Writer, plan: PlanReport) -> None:
    out.line(f"{plan.profile}: {plan.description}" if plan.description else plan.profile)
    control_plane = f"control plane {plan.orchestrator}" if plan.orchestrator else "without a control plane"
    out.line(f"Region {plan.region}, zone {plan.zone}; {control_plane}")
    if plan.data_profile:
        out.line(f"uses the network and storage of profile {plan.data_profile}")
    out.line(_on_delete(plan))


def _write_parts(out: Writer, plan: PlanReport) -> None:
    if plan.storage:
        write_storage(out, plan.storage)
    if plan.fit:
        # imported only for a profile with a workload, so that other plans start faster
        from scripts.cli.plan.sections.fit import write_fit

        write_fit(out, plan.fit, plan.storage.experts if plan.storage else None)
    if plan.observability:
        write_observability(out, plan.observability)
    if plan.calendar:
        write_calendar(out, plan.calendar)
    if plan.images:
        write_images(out, plan.images)


def _on_delete(plan: PlanReport) -> str:
    if plan.disposable:
        return "disposable: deleting the stack deletes all of its resources"
    kept = [kept.as_text() for kept in plan.kept]
    if not kept:
        return "deleting the stack deletes all of its resources"
    return f"retained after stack deletion: {'; '.join(kept)}"
