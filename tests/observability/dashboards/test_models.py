"""Dashboards read by Grafana's own types, which find misspelt options that Grafana ignores silently.

Requires grafana-foundation-sdk 0.0.21, whose classes are generated from Grafana's schemas. Older releases
carry an epoch and the types of Grafana 10.1, so the version is pinned.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from config.design.observability.dashboards import plan_dashboards
from config.design.observability.model import Measured
from tests.observability.dashboards.clusters import QUICK

models = pytest.importorskip(
    "grafana_foundation_sdk.models.dashboard", reason="grafana-foundation-sdk is not installed"
)


def read_back(body: Any) -> Any:
    """Return the parts of a dashboard that Grafana's types keep."""
    encoder = pytest.importorskip("grafana_foundation_sdk.cog.encoder")
    pytest.importorskip("grafana_foundation_sdk.cog.plugins").register_default_plugins()
    return json.loads(json.dumps(models.Dashboard.from_json(deepcopy(body)), cls=encoder.JSONEncoder))


def lost(wanted: Any, kept: Any, path: str = "") -> Iterator[str]:
    """Return the parts of one that are not in the other."""
    if isinstance(wanted, dict) and isinstance(kept, dict):
        for key, value in wanted.items():
            if key in kept:
                yield from lost(value, kept[key], f"{path}.{key}")
            elif value not in (None, "", False, [], {}):
                yield f"{path}.{key}"
    elif isinstance(wanted, list) and isinstance(kept, list) and len(wanted) == len(kept):
        for number, (one, other) in enumerate(zip(wanted, kept, strict=True)):
            yield from lost(one, other, f"{path}[{number}]")
    elif wanted != kept:
        yield path


@pytest.mark.parametrize("measured", QUICK, ids=lambda measured: measured.cluster)
def test_every_setting_is_one_that_grafana_knows(measured: Measured) -> None:
    for dashboard in plan_dashboards(measured):
        body = dict(dashboard.body)
        assert list(lost(body, read_back(body))) == []


@pytest.mark.parametrize("where", ["options", "fieldConfig", "targets"])
def test_a_misspelt_setting_would_be_found(where: str) -> None:
    body = deepcopy(dict(plan_dashboards(QUICK[0])[0].body))
    panel = next(panel for panel in body["panels"] if panel["type"] == "timeseries")
    place = {
        "options": panel["options"],
        "fieldConfig": panel["fieldConfig"]["defaults"],
        "targets": panel["targets"][0],
    }[where]
    place["misspelt"] = "x"
    (found,) = lost(body, read_back(body))
    assert found.endswith(".misspelt")
