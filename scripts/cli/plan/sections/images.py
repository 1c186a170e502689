"""The container image section of a plan."""

from __future__ import annotations

from config.design.report.images import ImagesReport
from scripts.cli.plan.document import Writer


def write_images(out: Writer, report: ImagesReport) -> None:
    """Write the registry, its repositories and its pull through caches."""
    out.heading("images")
    out.fact("registry", report.registry)
    places = (*report.repositories, *report.caches)
    out.table(("Amazon ECR name", "content"), [(place.name, place.what) for place in places])
    if report.signs_in:
        out.fact("sign-in", f"{report.signs_in} signs in to ECR with the role of the node")
