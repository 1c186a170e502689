"""What findings about checkpoints offer: file systems that do, and the same ones in each finding."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from config.cluster import Cluster

_FIRST = re.compile(r"`capacity_gib: (\d+)` and `throughput_mbps_per_tib: (\d+)`")
_WITHOUT_EFA = "{efa: false, gpudirect: false, capacity_gib: 1200, throughput_mbps_per_tib: 125}"


def hints(cluster: Cluster) -> dict[str, str]:
    return {d.code: d.hint for d in cluster.diagnostics if d.code in ("WRK001", "WRK002", "WRK003")}


def profile(workload: str, lustre: str = "{}") -> str:
    return f"extends: p6-b200\nname: mine\nworkload: {{{workload}}}\nstorage: {{lustre: {lustre}}}\n"


@pytest.mark.parametrize("lustre", ["{}", _WITHOUT_EFA])
@pytest.mark.parametrize(
    "workload",
    [
        "parameters: 405e9, checkpoint_target_s: 120",
        "parameters: 405e9, kept_checkpoints: 9",
        "parameters: 405e9, checkpoint_target_s: 200, kept_checkpoints: 9, datasets_gib: 5000",
        "parameters: 405e9, checkpoint_target_s: 100, mtbf_hours: 0.1",
    ],
)
def test_the_first_size_that_is_offered_is_one_that_does(
    check: Callable[..., Cluster], workload: str, lustre: str
) -> None:
    reported = hints(check(profile(workload, lustre)))
    offered = {found.groups() for hint in reported.values() if (found := _FIRST.search(hint))}
    assert len(offered) == 1  # each finding offers the same
    ((capacity, tier),) = offered
    base = lustre.removeprefix("{").removesuffix("}").split(", capacity_gib")[0]
    larger = ", ".join(part for part in (base, f"capacity_gib: {capacity}") if part)
    reported = hints(check(profile(workload, f"{{{larger}, throughput_mbps_per_tib: {tier}}}")))
    assert reported == {}


def test_what_the_default_quota_takes_beside_other_file_systems_is_offered_first(
    check: Callable[..., Cluster],
) -> None:
    text = profile("parameters: 405e9, checkpoint_target_s: 200")
    assert (
        "`capacity_gib: 33600` and `throughput_mbps_per_tib: 1000`, or 67200 at 500,"
        in (hints(check(text))["WRK001"])
    )
    another = (
        "{kind: new, name: scratch, mount_path: /scratch, capacity_gib: 48000, throughput_mbps_per_tib: 125}"
    )
    reported = hints(check(text.replace("storage: {", f"storage: {{additional_lustre: [{another}], ")))[
        "WRK001"
    ]
    assert "`capacity_gib: 33600` and `throughput_mbps_per_tib: 1000` for" in reported
    assert "(the default is 100,800 GiB), 67200 at 500" in reported


def test_a_kind_that_writes_half_of_what_it_reads_is_offered_at_twice_the_size(
    check: Callable[..., Cluster],
) -> None:
    tier = "throughput_mbps_per_tib: null, efa: false, gpudirect: false"
    scratch = f"{{deployment: scratch-2, capacity_gib: 4800, {tier}}}"
    reported = hints(check(profile("parameters: 7e9, checkpoint_target_s: 100", scratch)))["WRK001"]
    assert (
        "set `capacity_gib: 12000` for the file system lustre" in reported
    )  # 98 GB in 100 s, at 100 MB/s for a TiB
