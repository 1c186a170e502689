"""Checks of slurm-settings.json, which the loader takes on trust."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from config.catalog.files import Row
from config.catalog.slurm.slurm_values import KINDS, value_of

Reported = tuple[str, str, str]
"""The row, the field, and what is wrong with it."""


def slurm_faults(document: Row, lists: Mapping[str, Iterable[str]]) -> Iterator[Reported]:
    """Every setting that PCS lets through has a kind of value, and no other has one."""
    values = document["values"]
    for file, lines in lists.items():
        listed = set(" ".join(lines).split())
        for name in sorted(listed ^ values[file].keys()):
            reported = "has no kind of value" if name in listed else "is no setting that PCS lets through"
            yield f"values.{file}", name, reported
    for file, settings in values.items():
        if not document["sources"].get(file):
            yield "sources", file, "has no source"
        for name, text in settings.items():
            if value_of(text).kind not in KINDS:
                yield f"values.{file}", name, f"{text} is no kind of value"
    known = values["cluster"].keys() | values["queue"].keys()
    others = {*" ".join(document["of_accounting"]).split(), *document["needs"], *document["needs"].values()}
    yield from (("file", name, "is no setting of a cluster or a queue") for name in sorted(others - known))
    for file, names in document["of_the_service"].items():
        for name in sorted(set(names.split()) & values[file].keys()):
            yield f"of_the_service.{file}", name, "has a kind of value too"
