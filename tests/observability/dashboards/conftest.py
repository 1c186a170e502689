"""Fixture: one Prometheus with the series of all clusters in the tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import chain

import pytest

from config.design.observability.model import Measured
from tests.observability.dashboards.prometheus import Prometheus, filled_prometheus
from tests.observability.dashboards.synthetic import lines


@pytest.fixture(scope="session")
def prometheus(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prometheus]:
    missing = [program for program in ("prometheus", "promtool") if not shutil.which(program)]
    if missing:
        if os.environ.get("ULTRACLUSTER_REQUIRE_TOOLS"):
            pytest.fail(f"{missing} is not installed: apt-get install prometheus")
        pytest.skip(f"{missing} is not installed: apt-get install prometheus")
    asked = dict[str, Measured]()
    for item in request.session.items:
        # other tests use another Prometheus
        if isinstance(item, pytest.Function) and "prometheus" in item.fixturenames:
            params = getattr(item, "callspec", None) and item.callspec.params
            if params and params.keys() >= {"name", "plane"}:
                measured = item.module.measured_of(params["name"], params["plane"])
            elif params and "measured" in params:
                measured = params["measured"]
            else:
                continue
            assert isinstance(measured, Measured)
            asked[measured.cluster] = measured
    folder = tmp_path_factory.mktemp("prometheus")
    with filled_prometheus(
        folder, chain.from_iterable(lines(measured) for measured in asked.values())
    ) as server:
        yield server
