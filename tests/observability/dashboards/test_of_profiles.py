"""Dashboards of the built-in profiles under every control plane, as a deployment loads them."""

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


QUICK = [measured_of("p6-b200", plane) for plane in PLANES]
OTHERS = [measured_of(name, plane) for name in PROFILES if name != "p6-b200" for plane in PLANES]


def _name(measured: Measured) -> str:
    return measured.cluster


@pytest.mark.parametrize(
    "measured", [*QUICK, *(pytest.param(one, marks=pytest.mark.long) for one in OTHERS)], ids=_name
)
def test_no_panel_of_a_built_in_profile_is_empty(prometheus: Prometheus, measured: Measured) -> None:
    assert len(plan_dashboards(measured)) == 7
    assert empty_panels(prometheus, measured) == []
