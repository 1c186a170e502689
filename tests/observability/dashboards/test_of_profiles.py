"""Dashboards of the built-in profiles with each control plane, as a deployment loads them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from config.design.observability.dashboards import plan_dashboards
from config.design.observability.model import Measured
from tests.observability.dashboards.prometheus import Prometheus
from tests.observability.dashboards.test_answer import empty_panels
from tests.observability.measured_clusters import PLANES, PROFILES, built_in, measured_in


@cache
def measured_of(name: str, plane: str) -> Measured:
    found = measured_in(built_in(name, plane))
    return replace(found, cluster=f"{name}-{plane}", exporters=found.exporters | {"rules"})


@pytest.mark.long
@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("name", PROFILES)
def test_no_panel_of_a_built_in_profile_is_empty(prometheus: Prometheus, name: str, plane: str) -> None:
    measured = measured_of(name, plane)
    assert len(plan_dashboards(measured)) == 7
    assert empty_panels(prometheus, measured) == []
