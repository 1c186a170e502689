"""Table of metrics; each row has an exporter, field, labels and GPU architectures."""

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
    """A program that serves metrics.

    ``scope``: whether it runs on each node, or once in a cluster. ``job``: value of the label ``job`` of its
    series. ``version``: pinned version. ``image``: container image. ``labels``: labels of all its series;
    ``optional_labels``: labels that a series can lack. ``least``: first version (of DCGM) that supports each
    GPU architecture.
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
        """Return the first HTTP path of the metrics; most exporters have only one."""
        return self.paths[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A series of one exporter.

    ``key``: name in rules and panels; exporters with the same metric under different names share a key.
    ``field``: name in the exporter (a DCGM field, a CloudWatch metric). ``labels``: labels of the metric and
    its exporter, in addition to ``LABELS``. ``architectures``: GPU architectures that have the metric; empty:
    all. ``needs``: ``profiling`` if profiling must be on, ``scripts`` if our node scripts must run.
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
        """Return the names of the metric's series; a histogram has three series."""
        parts = ("_bucket", "_sum", "_count") if self.type == "histogram" else ("",)
        return tuple(f"{self.name}{part}" for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Metric table: exporters by name, and metrics."""

    exporters: Mapping[str, Exporter] = field(hash=False)
    rows: tuple[Metric, ...]

    def named(self, key: str) -> tuple[Metric, ...]:
        """Return the rows of a key, one for each exporter."""
        return tuple(row for row in self.rows if row.key == key)

    def of(self, exporter: str) -> tuple[Metric, ...]:
        """Return the rows of an exporter."""
        return tuple(row for row in self.rows if row.exporter == exporter)


LABELS: Mapping[Scope, tuple[str, ...]] = MappingProxyType(
    {"node": ("cluster", "node", "instance_type", "group", "job"), "cluster": ("cluster", "job")}
)
"""Labels that the collection adds to each series; host names of exporters are not used (OBS-03)."""


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
    """Return the table, which is read at the first call."""
    document = read_one("metrics")
    exporters = named(Exporter, document["exporters"].items())
    rows = tuple(
        _metric(key, row, exporters[exporter])
        for exporter, table in document["rows"].items()
        for key, row in table.items()
    )
    return Metrics(exporters=exporters, rows=rows)
