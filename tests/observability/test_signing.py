"""Requests to an AMP workspace are signed for the Region of the workspace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from config.design.observability.collection.agent import remote_write
from tests.observability.measured_clusters import changed

AMP = "https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-0123abcd"
PROXY = "https://prometheus.example.com"
ADDRESSES = [
    (AMP, {}, "eu-west-1"),
    ("https://aps-workspaces-fips.us-gov-west-1.amazonaws.com/workspaces/ws-0123abcd", {}, "us-gov-west-1"),
    ("https://aps-workspaces.eu-west-1.api.aws/workspaces/ws-0123abcd", {}, "eu-west-1"),
    (PROXY, {}, "us-west-2"),
    (PROXY, {"region": "eu-north-1"}, "eu-north-1"),
]


def observability(address: str, declared: dict[str, Any]) -> dict[str, Any]:
    return {
        "prometheus": {
            "kind": "existing",
            "remote_write_url": f"{address}/api/v1/remote_write",
            "query_url": address,
            "authentication": {"kind": "sigv4", **declared},
        }
    }


@pytest.mark.parametrize(("address", "declared", "region"), ADDRESSES)
@pytest.mark.parametrize("plane", ["hyperpod-slurm", "pcs"])
def test_nodes_sign_for_the_workspaces_region(
    tmp_path: Path, plane: str, address: str, declared: dict[str, Any], region: str
) -> None:
    found = changed(tmp_path, orchestrator={"kind": plane}, observability=observability(address, declared))
    scripts = next(one.scripts for one in (found.hyperpod, found.pcs) if one is not None)
    assert scripts is not None
    assert json.dumps({"sigv4": {"region": region}})[1:-1] in scripts.files["prometheus.yml"]


@pytest.mark.parametrize(("address", "declared", "region"), ADDRESSES)
def test_the_agent_and_grafana_sign_for_the_workspaces_region(
    tmp_path: Path, address: str, declared: dict[str, Any], region: str
) -> None:
    found = changed(tmp_path, orchestrator={"kind": "eks"}, observability=observability(address, declared))
    plan = found.observability
    assert plan is not None
    content = plan.content()
    assert content is not None
    assert content.body["data_sources"][0]["jsonData"]["sigV4Region"] == region
    assert plan.wanted.prometheus is not None
    assert remote_write(plan.wanted.prometheus, "us-west-2")["sigv4"] == {"region": region}
