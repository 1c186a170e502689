"""What can be measured: every metric with its exporter, its field there, its labels and where it exists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal

from config.catalog.files import Row, named, read_one

MetricType = Literal["counter", "gauge", "histogram"]
Scope = Literal["node", "cluster"]
Need = Literal["profiling", "scripts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """A program that shows metrics.

    ``scope``: it runs on each node, or once in a cluster. ``job`` is the value of the label ``job`` of its
    series, ``port`` and ``paths`` where it answers, ``version`` the pinned one and ``image`` its container.
    ``labels`` are those of all of its series, ``optional_labels`` those that a series has at times. ``least``
    are the first versions (of DCGM) that know a GPU architecture.
    """

    name: str
    job: str
    scope: Scope
    port: int
    paths: tuple[str, ...]
    version: str | None
    image: str | None
    labels: tuple[str, ...]
    optional_labels: tuple[str, ...]
    least: Mapping[str, str] = field(hash=False)
    sources: tuple[str, ...]
    note: str = ""

    @property
    def path(self) -> str:
        """The first path: for most exporters the only one."""
        return self.paths[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A series that one exporter shows.

    ``key`` is how rules and panels name it; exporters that show the same under other names share one.
    ``field`` is what the exporter itself calls it (a field of DCGM, a metric of CloudWatch). ``labels`` are
    its own and its exporter's, beside those that every series has (``LABELS``). ``architectures`` are those
    of GPUs that have it; none: all. ``needs``: what must be there for it: ``profiling`` is on, our
    ``scripts`` run on nodes.
    """

    key: str
    name: str
    exporter: str
    field: str
    type: MetricType
    help: str
    labels: tuple[str, ...]
    architectures: tuple[str, ...]
    needs: Need | None
    sources: tuple[str, ...]

    @property
    def series(self) -> tuple[str, ...]:
        """Names of its series: a histogram has three."""
        parts = ("_bucket", "_sum", "_count") if self.type == "histogram" else ("",)
        return tuple(f"{self.name}{part}" for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """The table: exporters by name, metrics by key and exporter."""

    exporters: Mapping[str, Exporter] = field(hash=False)
    rows: tuple[Metric, ...]

    def named(self, key: str) -> tuple[Metric, ...]:
        """The rows of a key, one for each exporter that shows it."""
        return tuple(row for row in self.rows if row.key == key)

    def of(self, exporter: str) -> tuple[Metric, ...]:
        """The rows of an exporter."""
        return tuple(row for row in self.rows if row.exporter == exporter)


LABELS: Mapping[Scope, tuple[str, ...]] = MappingProxyType(
    {"node": ("cluster", "node", "instance_type", "group", "job"), "cluster": ("cluster", "job")}
)
"""Labels that collection gives every series; the exporters' own names of hosts are never used (OBS-03)."""


def _metric(key: str, row: Row, exporter: Exporter) -> Metric:
    return Metric(
        key=key,
        exporter=exporter.name,
        name=row["name"],
        field=row.get("field", row["name"]),
        type=row["type"],
        help=row["help"],
        labels=(*exporter.labels, *row.get("labels", ())),
        architectures=row.get("architectures", ()),
        needs=row.get("needs"),
        sources=row.get("sources", exporter.sources),
    )


@cache
def metrics() -> Metrics:
    """The table, read on the first call."""
    document = read_one("metrics")
    exporters = named(Exporter, document["exporters"].items())
    rows = tuple(
        _metric(key, row, exporters[exporter])
        for exporter, table in document["rows"].items()
        for key, row in table.items()
    )
    return Metrics(exporters=exporters, rows=rows)
