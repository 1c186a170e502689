"""Placeholders for metrics: `<gpu_temperature>` in an expression is replaced by the name of the series."""

from __future__ import annotations

import re
from functools import lru_cache

from config.catalog.observability.metrics import Metric, metrics
from config.design.observability.model import Measured

_KEY = re.compile(r"<([a-z][a-z0-9_]*)>")


def keys_of(expression: str) -> tuple[str, ...]:
    """Return the distinct keys in an expression."""
    return tuple(dict.fromkeys(_KEY.findall(expression)))


@lru_cache(maxsize=32)
def measured_metrics(measured: Measured) -> tuple[Metric, ...]:
    """Return the rows of the metric table that a cluster has."""
    return tuple(row for row in metrics().rows if _is_there(row, measured))


def missing(expression: str, measured: Measured) -> tuple[str, ...]:
    """Return the keys of an expression that the cluster does not collect."""
    there = _names(measured)
    missing_keys = tuple(key for key in keys_of(expression) if key not in there)
    for key in missing_keys:
        if not metrics().named(key):
            raise KeyError(f"the metric table has no key {key!r}")
    return missing_keys


def filled(expression: str, measured: Measured) -> str | None:
    """Return the expression with series in place of keys; None if the cluster does not collect them all."""
    if missing(expression, measured):
        return None
    names = _names(measured)
    return _KEY.sub(lambda found: names[found[1]], expression)


@lru_cache(maxsize=32)
def _names(measured: Measured) -> dict[str, str]:
    return {row.key: row.name for row in measured_metrics(measured)}


def _is_there(row: Metric, measured: Measured) -> bool:
    if row.exporter not in measured.exporters:
        return False
    there = {None: True, "profiling": measured.profiling, "scripts": measured.scripts}
    if not there[row.needs]:
        return False
    return not row.architectures or bool(measured.architectures & set(row.architectures))
