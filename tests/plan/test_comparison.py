"""Clusters side by side: what is best in a row, and what has no figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.cluster import Cluster, load_cluster
from config.design.model import Design
from config.design.report.comparison import NOT_LISTED, Comparison, Figure, best_of, compare
from config.design.report.plan import report
from config.profile.source.reference import built_in_names

Check = Callable[..., Cluster]


def design_of(name: str, orchestrator: str | None = None) -> Design:
    design = load_cluster(name, orchestrator=orchestrator).design
    assert design is not None
    return design


def rows_of(found: Comparison) -> dict[str, Figure]:
    return {figure.key: figure for figure in found.figures}


values = st.lists(st.none() | st.floats(-1e6, 1e6) | st.sampled_from(["not listed"]), max_size=6)


@given(values, st.sampled_from(["more", "less"]))
def test_the_best_is_unbeaten_and_nothing_is_where_all_are_equal(
    row: Sequence[float | str | None], better: Any
) -> None:
    best = best_of(row, better)
    known = [value for value in row if isinstance(value, float)]
    assert len(best) == len(row)
    assert any(best) == (len(set(known)) > 1)
    for value, is_best in zip(row, best, strict=True):
        if is_best:
            assert isinstance(value, float)
            assert value == (max(known) if better == "more" else min(known))
    assert not any(best_of(row, None))


def test_figures_are_those_of_the_plans() -> None:
    rows = rows_of(compare([design_of("p5", "eks"), design_of("p6-b200", "eks")]))
    assert rows["gpus"].values == (128, 128)
    assert rows["gpus"].best == (False, False)
    assert rows["bf16_pflops"].best == (False, True)
    assert rows["gpu_memory_gib_each"].values == (80, 179)
    assert rows["fp4_pflops"].values == (None, 1152.0)
    assert rows["efa_gbps_per_gpu"].values == (400, 400)
    first = 16 * 55.04 + 2 * 0.768
    assert rows["usd_per_hour"].values[0] == pytest.approx(first)
    assert rows["usd_per_gpu_hour"].values[0] == pytest.approx(first / 128, abs=1e-4)
    assert rows["usd_per_gpu_hour"].best == (True, False)
    assert rows["usd_per_bf16_pflops_hour"].best == (False, True)


def test_a_machine_without_a_listed_price_is_not_listed_and_never_the_cheapest() -> None:
    rows = rows_of(compare([design_of("p6-b200"), design_of("p6e-gb200")]))
    for key in ("usd_per_hour", "usd_per_gpu_hour", "usd_per_bf16_pflops_hour", "usd_per_fp8_pflops_hour"):
        assert rows[key].values[1] == NOT_LISTED
        assert rows[key].best == (False, False)
    assert rows["nvlink_domain_gpus"].values == (8, 72)
    assert rows["nvlink_domain_gpus"].best == (False, True)


def test_prices_of_machines_that_are_bought_otherwise_are_not_judged() -> None:
    # SageMaker's own price of p5 is listed, for p6-b200 EC2's stands in
    rows = rows_of(compare([design_of("p5"), design_of("p6-b200")]))
    assert rows["price_of"].values == (
        "on-demand, SageMaker, us-east-1",
        "on-demand, EC2 price for SageMaker, us-east-1",
    )
    assert not any(rows["usd_per_gpu_hour"].best)


def test_network_and_storage_alone_have_no_figures_of_machines() -> None:
    found = compare([design_of("p6-b200-data"), design_of("p6-b200")])
    rows = rows_of(found)
    assert rows["gpus"].values == (0, 128)
    assert rows["machines"].values[0] is None
    assert rows["usd_per_hour"].values[0] == NOT_LISTED
    assert rows["lustre_gb_per_s"].values == (18.75, 18.75)


def test_every_built_in_profile_can_be_compared_with_every_other() -> None:
    found = compare([design_of(name) for name in built_in_names()])
    assert found.profiles == tuple(design_of(name).profile.name for name in built_in_names())
    for figure in found.figures:
        assert len(figure.values) == len(figure.best) == len(found.profiles)
        assert any(value is not None for value in figure.values)


@dataclass(frozen=True)
class _Memory:
    total_gib: float


@dataclass(frozen=True)
class _Step:
    tokens_per_s: float
    bottleneck: str


@dataclass(frozen=True)
class _Split:
    memory: _Memory
    step: _Step | None
    tensor: int = 8
    pipeline: int = 1
    context: int = 1
    expert: int = 1
    data: int = 16


@dataclass(frozen=True)
class _Fit:
    splits: tuple[_Split, ...]
    fitting: int


def test_the_fit_to_the_model_is_a_row_where_a_plan_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = iter([
        _Fit((_Split(_Memory(96.5), _Step(1_200_000.0, "compute")),), 7),
        _Fit((), 0),
    ])  # fmt: skip

    class WithFit:
        """A plan with a fit beside its own parts."""

        def __init__(self, design: Design) -> None:
            self._plan, self.fit = report(design), next(fits)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._plan, name)

    monkeypatch.setattr("config.design.report.comparison.report", WithFit)
    rows = rows_of(compare([design_of("p6-b200"), design_of("p5")]))
    assert rows["fit_fitting"].values == (7, None)
    assert rows["fit_split"].values[0] == "TP 8, DP 16"
    assert rows["fit_memory_gib"].values[0] == 96.5
    assert rows["fit_tokens_per_s"].values[0] == 1_200_000
    assert rows["fit_bottleneck"].values[0] == "compute"


def workload_of(extends: str, parameters: float, precision: str = "bf16") -> str:
    return (
        f"extends: {extends}\nname: mine\nworkload: {{parameters: {parameters:g}, layers: 80, "
        "hidden_size: 8192, heads: 64, sequence_length: 4096, global_batch_sequences: 512, "
        f"precision: {precision}}}\n"
    )


def test_a_bound_of_a_split_that_does_not_fit_is_not_reported_as_what_can_be_had(check: Check) -> None:
    fits, not_at_all = (check(workload_of(name, 1.3e12)).design for name in ("p6-b300", "p5"))
    assert fits is not None
    assert not_at_all is not None
    rows = rows_of(compare([fits, not_at_all], ["a", "b"]))
    assert rows["fit_fitting"].values[1] == 0
    assert isinstance(rows["fit_tokens_per_s"].values[0], float)
    assert rows["fit_tokens_per_s"].values[1] == "does not fit"
    assert rows["fit_bottleneck"].values[1] is None
    # the least memory is not the best: what does not fit may have it
    assert not any(rows["fit_memory_gib"].best)


def test_bounds_of_different_models_are_not_held_against_each_other(check: Check) -> None:
    def best(*texts: str) -> tuple[bool, ...]:
        designs = [design for text in texts if (design := check(text).design)]
        return rows_of(compare(designs, ["a", "b"]))["fit_tokens_per_s"].best

    assert best(workload_of("p6-b200", 7e10), workload_of("p5", 7e10)) == (True, False)
    assert best(workload_of("p6-b200", 7e10), workload_of("p5", 8e9)) == (False, False)
    split = "  parallelism: {tensor: 8, pipeline: 2}\n"
    declared = workload_of("p5", 7e10).replace("precision: bf16}", "precision: bf16, " + split.strip() + "}")
    assert best(workload_of("p6-b200", 7e10), declared) == (True, False)


TWO_KINDS = """
extends: p5en
name: mine
orchestrator: {kind: eks}
compute:
  groups:
    - {name: tools, role: system, instance_type: m5.4xlarge, count: 2}
    - name: train
      role: compute
      instance_type: p5en.48xlarge
      count: 16
      capacity: {kind: odcr, reservation_id: cr-0a1b2c3d4e5f60718, availability_zone_id: usw2-az2}
    - name: block
      role: compute
      instance_type: p5en.48xlarge
      count: 8
      capacity: {kind: capacity-block, reservation_id: cr-0a1b2c3d4e5f60719, availability_zone_id: usw2-az2}
"""


def test_all_groups_with_gpus_are_reported_with_all_ways_in_which_they_are_bought(check: Check) -> None:
    mine = check(TWO_KINDS).design
    assert mine is not None
    rows = rows_of(compare([mine, design_of("p5en", "eks")]))
    assert rows["machines"].values[0] == "24 x p5en.48xlarge"
    assert rows["price_of"].values[0] == "odcr, capacity-block, EC2, us-east-1, us-west-2"
    assert rows["usd_per_gpu_hour"].best == (False, False)


def test_fits_to_different_models_are_not_judged(check: Check) -> None:
    shape = "layers: 80, hidden_size: 8192, heads: 64, sequence_length: 8192, global_batch_sequences: 512"
    small, large = (
        check(f"extends: p6-b200\nname: mine\nworkload: {{parameters: {size}, {shape}}}\n").design
        for size in ("60e9", "70e9")
    )
    assert small is not None
    assert large is not None
    rows = rows_of(compare([small, large]))
    assert rows["model"].values == ("60B", "70B")
    assert rows["fit_tokens_per_s"].values[0] != rows["fit_tokens_per_s"].values[1]
    assert rows["fit_tokens_per_s"].best == (False, False)
