"""The arithmetic of checkpoints and of file systems: what holds for every figure."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from config.catalog import catalog
from config.design.storage import bandwidth, checkpoints
from config.design.storage.recovery import WORTHWHILE, recovery

SECONDS = st.floats(1, 1e5)
MTBF = st.floats(60, 1e8)
GB = st.floats(0.1, 1e5)
MBPS = st.floats(100, 1e6)


@given(SECONDS, MTBF)
def test_the_interval_is_positive_and_no_longer_than_the_time_to_a_failure_allows(
    write_s: float, mtbf_s: float
) -> None:
    interval = checkpoints.daly_s(write_s, mtbf_s)
    assert interval > 0
    assert interval <= max(mtbf_s, checkpoints.young_s(write_s, mtbf_s) * (1 + 1 / 3 + 1 / 9))


@given(SECONDS, MTBF)
def test_no_interval_loses_noticeably_less_than_the_one_that_is_advised(
    write_s: float, mtbf_s: float
) -> None:
    assume(write_s < mtbf_s / 2)  # Daly's series is for writes that are short beside the time to a failure
    best = checkpoints.daly_s(write_s, mtbf_s)
    least = checkpoints.lost_share(best, write_s, 0, mtbf_s)
    for factor in (0.5, 0.8, 0.95, 1.05, 1.25, 2):
        assert checkpoints.lost_share(best * factor, write_s, 0, mtbf_s) >= least - 1e-3


@given(SECONDS, SECONDS, SECONDS, MTBF)
def test_the_lost_share_is_a_share_and_grows_with_what_is_lost(
    interval_s: float, write_s: float, restore_s: float, mtbf_s: float
) -> None:
    lost = checkpoints.lost_share(interval_s, write_s, restore_s, mtbf_s)
    assert 0 <= lost <= 1
    assert checkpoints.lost_share(interval_s, 2 * write_s, restore_s, mtbf_s) >= lost - 1e-9
    assert checkpoints.lost_share(interval_s, write_s, 2 * restore_s, mtbf_s) >= lost - 1e-9
    assert checkpoints.lost_share(interval_s, write_s, restore_s, 2 * mtbf_s) <= lost + 1e-9


@pytest.mark.long
@given(st.integers(1, 100_000))
def test_twice_the_gpus_fail_twice_as_often(gpus: int) -> None:
    facts = catalog().checkpoints.failures
    one, two = (
        checkpoints.mtbf_hours(facts.interruptions, facts.days, facts.gpus, n) for n in (gpus, 2 * gpus)
    )
    assert math.isclose(one, 2 * two)
    assert math.isclose(one * gpus, facts.gpus * facts.days * 24 / facts.interruptions)


@given(GB, st.integers(1, 100), st.integers(0, 10**6))
def test_what_is_kept_fits_into_the_capacity_with_a_fifth_free(gb: float, kept: int, datasets: int) -> None:
    capacity = checkpoints.capacity_gib(gb, kept, 0.8, datasets)
    used = gb * 1e9 / 2**30 * (kept + 1)
    assert math.isclose(used, 0.8 * (capacity - datasets), rel_tol=1e-6, abs_tol=1e-3)


@given(GB, MBPS, MBPS, st.floats(0, 1e5))
def test_an_export_takes_no_longer_for_a_larger_memory_and_never_less_than_the_network(
    gb: float, network: float, disk: float, cache: float
) -> None:
    least = checkpoints.export_s_at_least(gb, network, disk, cache)
    assert least >= checkpoints.seconds_to_move(gb, network) * (1 - 1e-9)
    assert checkpoints.export_s_at_least(gb, network, disk, 2 * cache) <= least


@given(st.integers(1, 400), st.floats(0.5, 400))
def test_a_client_over_ena_gets_neither_more_than_its_network_nor_than_the_servers(
    servers: int, instance: float
) -> None:
    facts = catalog().lustre
    mbps = bandwidth.ena_client_mbps(100, facts.ena_gbps_per_client_and_server, servers, instance)
    assert mbps <= min(instance, 5 * servers, 100) * 125
    assert bandwidth.ena_client_mbps(100, 5, servers + 1, instance) >= mbps


@given(st.integers(1, 10_000), MBPS, MBPS)
def test_clients_together_get_no_more_than_the_file_system_has(
    nodes: int, client: float, system: float
) -> None:
    together = bandwidth.all_clients_mbps(nodes, client, system)
    assert together <= system
    assert together <= nodes * client
    assert bandwidth.all_clients_mbps(nodes + 1, client, system) >= together


SHARES = st.floats(0, 1)
PERCENT = st.none() | st.floats(0, 1000)


@given(st.sampled_from([None, "hyperpod-slurm", "eks", "pcs"]), SHARES, SHARES, PERCENT, PERCENT)
def test_only_hyperpod_on_eks_is_advised_to_recover_from_elsewhere(
    plane: str | None, lost: float, restore: float, memory: float | None, gpu_memory: float | None
) -> None:
    found = recovery(
        control_plane=plane, lost_share=lost, restore_share=restore, memory_percent=memory,
        gpu_memory_percent=gpu_memory,
    )  # fmt: skip
    assert found.way == "lustre"


@given(SHARES, SHARES, PERCENT, PERCENT)
def test_what_is_advised_fits_into_memory_and_is_worth_it(
    lost: float, restore: float, memory: float | None, gpu_memory: float | None
) -> None:
    found = recovery(
        control_plane="hyperpod-eks", lost_share=lost, restore_share=restore, memory_percent=memory,
        gpu_memory_percent=gpu_memory,
    )  # fmt: skip
    assert found.way == "lustre" or lost >= WORTHWHILE
    if found.way == "tiered":
        assert memory is not None
        assert memory <= 100
    if found.way == "checkpointless":
        assert gpu_memory is not None
        assert gpu_memory <= 100


@pytest.mark.parametrize(
    ("restore", "memory", "gpu_memory", "way"),
    [
        (0.001, 32, 48, "tiered"),
        (0.02, 32, 48, "checkpointless"),
        (0.02, 32, 120, "tiered"),
        (0.001, 120, 48, "checkpointless"),
        (0.02, 120, 120, "lustre"),
        (0.02, None, None, "lustre"),
    ],
)
def test_recovery_from_a_replica_is_for_frequent_failures_and_for_small_memory(
    restore: float, memory: float | None, gpu_memory: float | None, way: str
) -> None:
    found = recovery(
        control_plane="hyperpod-eks", lost_share=0.05, restore_share=restore, memory_percent=memory,
        gpu_memory_percent=gpu_memory,
    )  # fmt: skip
    assert found.way == way
    assert "5.0 %" in found.because
