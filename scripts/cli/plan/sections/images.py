"""Where container images come from, in the text of a plan."""

from __future__ import annotations

from config.design.report.images import ImagesReport
from scripts.cli.plan.document import Writer


def write_images(out: Writer, report: ImagesReport) -> None:
    """Repositories and caches."""
    out.heading("images")
    out.fact("from", report.registry)
    places = (*report.repositories, *report.caches)
    out.table(("in ECR", "what it is"), [(place.name, place.what) for place in places])
    if report.signs_in:
        out.fact("pulled", f"{report.signs_in} signs in with the role of the nodes")
