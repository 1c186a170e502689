"""What a file system delivers and takes, against AWS's tables."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalog import catalog
from config.cluster import Cluster
from config.design.model import Design
from config.design.storage.lustre import LustrePlan, plan_lustre
from config.design.storage.repositories import repository_name
from config.profile.storage.lustre import NewLustre

Check = Callable[..., Cluster]


def designed(cluster: Cluster) -> Design:
    assert cluster.design is not None, cluster.diagnostics
    return cluster.design


def _lustre(**settings: Any) -> LustrePlan:
    plan = plan_lustre(NewLustre.model_validate({"kind": "new", **settings}))
    assert plan
    return plan


@pytest.mark.parametrize(
    ("tier", "gib", "efa", "mbps", "servers"),
    [
        # TiB per server with EFA 38.4/19.2/9.6/4.8, without 2.4; MB/s = GiB / 1024 x tier
        (1000, 4800, True, 4687.5, 1), (500, 9600, True, 4687.5, 1), (250, 19200, True, 4687.5, 1),
        (125, 38400, True, 4687.5, 1), (500, 38400, True, 18750, 4), (1000, 38400, True, 37500, 8),
        (250, 38400, False, 9375, 16), (250, 1200, False, 292.96875, 1), (125, 2400, False, 292.96875, 1),
        (125, 7200, False, 878.90625, 3),
    ],
)  # fmt: skip
def test_throughput_and_servers_of_a_file_system(
    tier: int, gib: int, efa: bool, mbps: float, servers: int
) -> None:
    plan = _lustre(throughput_mbps_per_tib=tier, capacity_gib=gib, efa=efa)
    assert plan.throughput_mbps == mbps
    assert plan.object_servers == servers
    assert plan.addresses == servers + 1


def test_storage_13_every_efa_server_is_worth_the_same() -> None:
    # 4800 GiB at 1000 MB/s/TiB is 4688 MB/s, and so is one server of every other tier
    units = {tier: row.efa_capacity_unit_gib for tier, row in catalog().lustre.tiers.items()}
    assert units == {125: 38400, 250: 19200, 500: 9600, 1000: 4800}
    assert {round(unit / 1024 * tier) for tier, unit in units.items()} == {4688}


@pytest.mark.parametrize(
    ("gib", "iops"),
    [
        # automatic: 1200 -> 1500; 2400 -> 3000; 4800-9600 -> 6000; 12000-45600 -> 12000; then
        # 12000 more for each 24000 GiB from 48000 on
        (1200, 1500), (2400, 3000), (4800, 6000), (9600, 6000), (12000, 12000), (45600, 12000),
        (48000, 24000), (69600, 24000), (72000, 36000), (96000, 48000),
    ],
)  # fmt: skip
def test_metadata_iops_follow_the_capacity(gib: int, iops: int) -> None:
    plan = _lustre(throughput_mbps_per_tib=125, capacity_gib=gib, efa=False)
    assert (plan.metadata_iops, plan.metadata_automatic) == (iops, True)
    assert plan.metadata_servers == max(1, math.ceil(iops / 12000))


def test_stated_metadata_iops_are_kept_and_have_their_servers() -> None:
    plan = _lustre(throughput_mbps_per_tib=500, capacity_gib=9600, efa=True, metadata_iops=96000)
    assert (plan.metadata_iops, plan.metadata_automatic, plan.metadata_servers) == (96000, False, 8)


@given(st.lists(st.text(alphabet="ab-_/.A", min_size=1, max_size=6), unique_by=lambda path: path.strip("/")))
def test_no_two_repositories_share_a_name(paths: list[str]) -> None:
    names = [repository_name(f"/{path}") for path in paths if path.strip("/")]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", name) for name in names)


def test_plain_repositories_are_named_after_their_directory() -> None:
    assert [repository_name(path) for path in ("/datasets", "/checkpoints/", "/")] == [
        "datasets",
        "checkpoints",
        "root",
    ]
