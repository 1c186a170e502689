"""Where container images come from, in the text of a plan."""

from __future__ import annotations

from config.design.report_images import ImagesReport
from scripts.cli.output import fact, heading, write_table


def write_images(report: ImagesReport) -> None:
    """Repositories and caches."""
    heading("images")
    fact("from", report.registry)
    places = (*report.repositories, *report.caches)
    write_table(("in ECR", "what it is"), [(place.name, place.what) for place in places])
    if report.signs_in:
        fact("pulled", f"{report.signs_in} signs in with the role of the nodes")
