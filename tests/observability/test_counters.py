"""The counters file of dcgm-exporter, read as the exporter reads it."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalog.files import read
from config.catalog.observability.metrics import metrics
from config.design.observability.collection.counters import counters
from config.design.observability.model import GpuNodes, Measured

ARCHITECTURES = ("ampere", "ada", "hopper", "blackwell")
TYPES = {"gauge", "counter", "histogram", "summary", "label"}
MANY = 128
"""Fields that make the pinned exporter fail (https://github.com/NVIDIA/dcgm-exporter/releases/tag/4.8.4)."""


def cluster(*architectures: str, profiling: bool = True) -> Measured:
    nodes = (
        GpuNodes(instance_type=name, architecture=name, gpus=8, efa_devices=0, dollars_per_gpu_hour=None)
        for name in architectures
    )
    return Measured(
        cluster="mine",
        control_plane="eks",
        exporters=frozenset(("dcgm",)),
        gpu_nodes=tuple(nodes),
        profiling=profiling,
    )


def records(text: str) -> list[list[str]]:
    """Read the file as the exporter does: skip comments and trim fields (counters/counter_config.go)."""
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return [[field.strip(" ") for field in record] for record in csv.reader(io.StringIO("\n".join(lines)))]


@given(st.sets(st.sampled_from(ARCHITECTURES), min_size=1), st.booleans())
def test_every_line_is_one_that_the_exporter_takes(architectures: set[str], profiling: bool) -> None:
    known = {
        prefix + name for prefix, names in read()["dcgm-fields"]["names"].items() for name in names.split()
    }
    found = records(counters(cluster(*architectures, profiling=profiling)))
    assert 0 < len(found) <= MANY
    for record in found:
        assert len(record) == 3
        assert record[0] in known
        assert record[1] in TYPES
    assert len({record[0] for record in found}) == len(found)


@given(st.sets(st.sampled_from(ARCHITECTURES), min_size=1))
def test_profiling_fields_are_there_with_profiling_alone(architectures: set[str]) -> None:
    found = cluster(*architectures)
    assert any("DCGM_FI_PROF_" in line for line in counters(found).splitlines())
    assert "DCGM_FI_PROF_" not in counters(replace(found, profiling=False))


@given(st.sets(st.sampled_from(ARCHITECTURES), min_size=1), st.sampled_from(ARCHITECTURES))
def test_a_further_architecture_takes_no_field_away(architectures: set[str], further: str) -> None:
    assert set(counters(cluster(*architectures)).splitlines()) <= set(
        counters(cluster(*architectures, further)).splitlines()
    )


@pytest.mark.parametrize(
    ("architecture", "field", "there"),
    [
        ("hopper", "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", True),
        ("blackwell", "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", False),
        ("blackwell", "DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS", True),
        ("hopper", "DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS", False),
        ("ada", "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", False),
        ("ada", "DCGM_FI_DEV_MEMORY_TEMP", False),
    ],
)
def test_nvlink_is_counted_as_the_architecture_does(architecture: str, field: str, there: bool) -> None:
    assert (field in counters(cluster(architecture))) is there


def test_no_single_bit_count_beside_nvlink_5_which_would_empty_it() -> None:
    assert "ECC_SBE_VOL_TOTAL" not in counters(cluster("blackwell"))
    assert "ECC_SBE_VOL_TOTAL" in counters(cluster("hopper"))


def test_obs_01_xids_and_clock_events_are_counted_within_a_window_as_gauges() -> None:
    types = {field: kind for field, kind, _ in records(counters(cluster("hopper")))}
    assert types["DCGM_EXP_XID_ERRORS_COUNT"] == types["DCGM_EXP_CLOCK_EVENTS_COUNT"] == "gauge"
    assert "DCGM_FI_DEV_XID_ERRORS" not in types


def test_every_field_of_the_table_is_in_some_file() -> None:
    assert {row.field for row in metrics().of("dcgm")} == {
        record[0] for record in records(counters(cluster(*ARCHITECTURES)))
    }
