"""Checks of the chart lock: what its reader takes on trust."""

import re
from collections.abc import Iterator
from typing import get_args

from config.catalog.files import Row
from config.catalog.kubernetes.charts import ChartKind

_PATTERNS = {
    "oci": r"oci://[a-z0-9.-]+(/[a-z0-9._-]+)+",
    "https": r"https://[a-z0-9.-]+(/[A-Za-z0-9._-]+)*",
    "git": r"https://github\.com/[\w.-]+/[\w.-]+",
    "manifest": r"https://\S+\.yaml",
}
_BRINGS = re.compile(r"[a-z0-9.-]+/v\d+(?:(?:alpha|beta)\d+)?(?:,v\d+(?:(?:alpha|beta)\d+)?)* [A-Z]\w+")


def chart_faults(name: str, row: Row, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with one row, as field and message; it has every field of its type."""
    if row["kind"] not in get_args(ChartKind):
        yield "kind", f"{row['kind']} is none of {', '.join(get_args(ChartKind))}"
    elif not re.fullmatch(_PATTERNS[row["kind"]], row["repository"]):
        yield "repository", f"{row['repository']} is not the address of a chart of kind {row['kind']}"
    if row["kind"] == "oci" and not row["repository"].endswith(f"/{name}"):
        yield "repository", f"the last part of an oci path is the chart's name, {name}"
    if not re.fullmatch(r"v?\d+\.\d+\.\d+", row["version"]):
        yield "version", f"{row['version']} is not one version"
    yield from _pins(row)
    for line in row["brings"]:
        if not _BRINGS.fullmatch(line):
            yield "brings", f"{line} does not read group/version Kind"
    yield from _relations(name, row, names)


def _pins(row: Row) -> Iterator[tuple[str, str]]:
    if {bool(row["commit"]), bool(row["path"])} != {row["kind"] == "git"}:
        yield "commit", "a git chart has a commit and a path, and no other has"
    for field, pattern in (("commit", r"[0-9a-f]{40}"), ("digest", r"sha256:[0-9a-f]{64}")):
        if row[field] is not None and not re.fullmatch(pattern, row[field]):
            yield field, f"{row[field]} is not whole"
    for field in ("kubernetes_min", "kubernetes_max"):
        if row[field] is not None and not re.fullmatch(r"1\.\d+", row[field]):
            yield field, f"{row[field]} is not a version of Kubernetes"


def _relations(name: str, row: Row, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    for field in ("bundles", "conflicts"):
        for other in row[field]:
            if other == name or other not in names:
                yield field, f"{other} is no other chart of the file"
    for other, found in row["bundles"].items():
        top, _, second = found["key"].partition(".")
        known = row["values"].get(top)
        if known is None or (known != "*" and second.partition(".")[0] not in known.split(" ")):
            yield "bundles", f"{other}: the chart reads no {found['key']}"
