"""Checks of the metric table: what its reader, and the programs that are generated from it, take on trust."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from itertools import combinations
from typing import get_args

from config.catalog.files import Row
from config.catalog.hardware import Architecture
from config.catalog.observability.metrics import Metric, MetricType, Need

EFA_COUNTERS = frozenset(
    """
    impaired_remote_conn_events lifespan rdma_read_bytes rdma_read_resp_bytes rdma_read_wr_err rdma_read_wrs
    rdma_write_bytes rdma_write_recv_bytes rdma_write_wr_err rdma_write_wrs recv_bytes recv_wrs retrans_bytes
    retrans_pkts retrans_timeout_events rx_bytes rx_drops rx_pkts send_bytes send_wrs tx_bytes tx_pkts
    unresponsive_remote_events
    """.split()  # noqa: SIM905 - 23 names read better so
)
"""The counters of EFA that hold something; exporters declare twelve more and never fill them (OBS-16)."""

WINDOWED = frozenset(("DCGM_EXP_XID_ERRORS_COUNT", "DCGM_EXP_CLOCK_EVENTS_COUNT"))
"""Counts within a moving window, which fall again: gauges, whatever the exporter's own file calls them."""

LAST_XID = "DCGM_FI_DEV_XID_ERRORS"
"""It holds the last XID for ever, so that a second one of the same kind cannot be seen (OBS-01)."""

_SLURM = frozenset(("slurm-native", "slurm-exporter"))
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_OF_A_ROW = {field.name for field in fields(Metric)} - {"key", "exporter"}

Faults = Iterator[tuple[str, str, str]]


def metric_faults(document: Row, known: Row) -> Faults:
    """Yield what is wrong with the table, as row, field and message; `known` are the fields of DCGM."""
    exporters, tables = document["exporters"], document["rows"]
    for name in sorted(set(tables) ^ set(exporters)):
        yield name, "rows", "an exporter without rows, or rows without one"
    for exporter, table in tables.items():
        for key, row in table.items():
            yield from ((f"{exporter}.{key}", field, message) for field, message in _row(key, row))
        for name, count in Counter(row["name"] for row in table.values()).items():
            if count > 1:
                yield exporter, name, "two rows have this name"
    yield from _shared_keys(tables)
    yield from _dcgm(tables["dcgm"], _names(known))
    yield from _efa(tables["node"])


def _row(key: str, row: Row) -> Iterator[tuple[str, str]]:
    for field in sorted(set(row) - _OF_A_ROW):
        yield field, "is no field of a metric"
    if not _KEY.fullmatch(key):
        yield "key", f"{key} is not written in small letters, digits and underscores"
    if not _NAME.fullmatch(row["name"]):
        yield "name", f"{row['name']} is no name of a series"
    for label in row.get("labels", ()):
        if not _NAME.fullmatch(label) or label.lower() == "hostname":
            yield "labels", f"{label} is no label that is kept"
    # one line of a counters file has three fields, and neither quotes nor commas in them
    if not row["help"] or re.search(r'[,"\n#]', row["help"]):
        yield "help", f"{row['help']!r} does not fit into a counters file"
    for field, allowed in (("type", get_args(MetricType)), ("needs", (None, *get_args(Need)))):
        if row.get(field) not in allowed:
            yield field, f"{row.get(field)} is none of {', '.join(map(str, allowed))}"
    for name in sorted(set(row.get("architectures", ())) - set(get_args(Architecture))):
        yield "architectures", f"{name} is no architecture of gpus.json"


def _shared_keys(tables: Row) -> Faults:
    for one, other in combinations(tables, 2):
        if {one, other} != _SLURM:
            for key in sorted(set(tables[one]) & set(tables[other])):
                yield f"{other}.{key}", "key", f"{one} has it too, and both run in one cluster"


def _names(known: Row) -> frozenset[str]:
    return frozenset(prefix + name for prefix, names in known["names"].items() for name in names.split(" "))


def _dcgm(table: Row, known: frozenset[str]) -> Faults:
    for key, row in table.items():
        name = row.get("field", row["name"])
        if name not in known:
            yield f"dcgm.{key}", "name", f"{name} is no field of this exporter, which would not start"
        if name == LAST_XID:
            yield f"dcgm.{key}", "name", f"{name} holds the last XID for ever: count them instead"
        if name in WINDOWED and row["type"] != "gauge":
            yield f"dcgm.{key}", "type", f"{name} counts within a window, and is a gauge"
        if name.startswith("DCGM_FI_PROF_") != (row.get("needs") == "profiling"):
            yield f"dcgm.{key}", "needs", "profiling fields, and no others, need profiling"


def _efa(table: Row) -> Faults:
    found = {row["name"].removeprefix("node_amazonefa_") for row in table.values()
             if row["name"].startswith("node_amazonefa_")}  # fmt: skip
    for name in sorted(found ^ (EFA_COUNTERS | {"info"})):
        yield "node", f"node_amazonefa_{name}", "is no counter that is filled, or is one and missing"
    for key, row in table.items():
        if row["name"].startswith("node_infiniband_"):
            yield f"node.{key}", "name", "shows nothing of EFA (OBS-17)"
