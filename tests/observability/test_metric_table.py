"""The metric table contains only metrics that the exporters provide."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any, get_args

import pytest

from config.catalog import catalog
from config.catalog.files import paths, read
from config.catalog.hardware import Architecture
from config.catalog.observability.metrics import LABELS, metrics
from tests.tools.catalogue.check import check
from tests.tools.catalogue.metrics import EFA_COUNTERS

Documents = dict[str, Any]
TEMPERATURE = {"name": "DCGM_FI_DEV_GPU_TEMP", "type": "gauge", "help": "in C"}


@pytest.fixture
def docs() -> Documents:
    return copy.deepcopy(dict(read()))


def faults_with(docs: Documents, exporter: str, key: str, row: dict[str, Any]) -> list[str]:
    docs["metrics"]["rows"][exporter][key] = row
    return [str(fault) for fault in check(docs)]


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("exporter", "key", "row", "says"),
    [
        ("dcgm", "made_up", {**TEMPERATURE, "name": "DCGM_FI_DEV_MADE_UP"}, "is no field of this exporter"),
        ("dcgm", "again", TEMPERATURE, "two rows have this name"),
        ("dcgm", "gpu_power", {**TEMPERATURE, "name": "DCGM_FI_DEV_FB_TOTAL", "help": "a,b"}, "does not fit"),
        ("dcgm", "gpu_power", {**TEMPERATURE, "name": "DCGM_FI_PROF_SM_OCCUPANCY"}, "need profiling"),
        ("dcgm", "gpu_power", {**TEMPERATURE, "architectures": ["volta"]}, "volta is no architecture"),
        ("node", "gpu_power", {"name": "x", "type": "gauge", "help": "power"}, "dcgm has it too"),
        ("node", "x", {"name": "x", "type": "gauge", "help": "x", "labels": ["Hostname"]}, "no label"),
        ("node", "x", {"name": "x", "type": "summary", "help": "x"}, "summary is none of counter, gauge"),
        ("node", "x", {"name": "x", "type": "gauge", "help": "x", "unit": "s"}, "is no field of a metric"),
        ("node", "x", {"name": "x", "type": "gauge", "help": "x", "sources": ["NOBODY"]}, "NOBODY is not in"),
        ("node", "X", {"name": "x", "type": "gauge", "help": "x"}, "small letters"),
    ],
)  # fmt: skip
def test_a_row_that_misleads_is_found(
    docs: Documents, exporter: str, key: str, row: dict[str, Any], says: str
) -> None:
    assert any(says in fault for fault in faults_with(docs, exporter, key, row))


def test_no_key_stands_twice_in_the_file() -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert [key for key, count in Counter(key for key, _ in pairs).items() if count > 1] == []
        return dict(pairs)

    json.loads(paths()["metrics"].read_bytes(), object_pairs_hook=once)


def test_obs_01_the_last_xid_is_in_no_row_and_xids_are_counted_as_a_gauge(docs: Documents) -> None:
    last = {"name": "DCGM_FI_DEV_XID_ERRORS", "type": "gauge", "help": "the last XID"}
    assert any("holds the last XID" in fault for fault in faults_with(docs, "dcgm", "xid", last))
    (row,) = metrics().named("xid_count")
    assert (row.name, row.type) == ("DCGM_EXP_XID_ERRORS_COUNT", "gauge")
    counted = {"name": row.name, "type": "counter", "help": "x"}
    assert any("is a gauge" in fault for fault in faults_with(docs, "dcgm", "xid_count", counted))


def test_obs_16_only_counters_that_are_filled_are_named(docs: Documents) -> None:
    named = {row.field for row in metrics().of("node") if row.name.startswith("node_amazonefa_")}
    assert named - {"node_amazonefa_info"} == EFA_COUNTERS
    never = {"name": "node_amazonefa_alloc_pd_err", "type": "counter", "help": "never filled"}
    assert any("is no counter that is filled" in fault for fault in faults_with(docs, "node", "x", never))


def test_obs_17_no_row_reads_efa_from_the_infiniband_collector(docs: Documents) -> None:
    wrong = {"name": "node_infiniband_port_data_received_bytes_total", "type": "counter", "help": "x"}
    assert any("shows nothing of EFA" in fault for fault in faults_with(docs, "node", "x", wrong))


def test_obs_06_the_pinned_exporter_knows_every_architecture_of_the_catalogue() -> None:
    dcgm = metrics().exporters["dcgm"]
    assert dcgm.version is not None
    pinned = _number(dcgm.version.partition("-")[0])
    gpus = {i.gpu.gpu.architecture for i in catalog().instances.values() if i.gpu}
    assert gpus <= set(dcgm.least) == set(get_args(Architecture))
    assert all(_number(least) <= pinned for least in dcgm.least.values())


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_the_image_of_an_exporter_is_of_its_version() -> None:
    for exporter in metrics().exporters.values():
        if exporter.image is not None:
            assert exporter.version is not None
            assert exporter.version in exporter.image


def test_a_histogram_is_three_series() -> None:
    (row,) = metrics().named("kueue_wait")
    assert [name.rpartition("_")[2] for name in row.series] == ["bucket", "sum", "count"]
    (up,) = metrics().named("up")
    assert up.series == ("up",)


def test_no_label_of_a_node_exporter_is_one_that_collection_gives() -> None:
    for exporter in metrics().exporters.values():
        for row in metrics().of(exporter.name):
            if exporter.scope == "node":
                assert not set(row.labels) & set(LABELS["node"]), row.key


def test_native_slurm_is_asked_on_every_path_but_that_of_users() -> None:
    assert metrics().exporters["slurm-native"].paths == (
        "/metrics/jobs", "/metrics/nodes", "/metrics/partitions", "/metrics/scheduler",
    )  # fmt: skip
