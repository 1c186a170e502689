"""How a cluster fits the model of its workload: memory, splits, what leaves the NVLink domain, bounds."""

from __future__ import annotations

import dataclasses
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.catalog import catalog
from config.cluster import Cluster, load_cluster
from config.design.report.fit import FitReport, fit_report
from config.design.report.plan import report
from config.design.workload.fit.judged import Judged, judged
from config.design.workload.fit.machines import Machines
from config.design.workload.fit.memory import expert_parameters, shape_parameters
from config.design.workload.fit.search import SHOWN, candidates, search
from config.design.workload.fit.shape import Model, Split, model_of
from config.design.workload.fit.split import Outcome, outcome
from config.profile.source.reference import built_in_names
from config.profile.workload import Recomputation, Workload
from tests.conftest import ROOT
from tests.tables import each_row

Check = Callable[..., Cluster]

LLAMA_405B = {
    "parameters": 405e9, "layers": 126, "hidden_size": 16384, "heads": 128, "kv_heads": 8,
    "feed_forward_size": 53248, "vocabulary": 128256, "sequence_length": 8192, "global_batch_sequences": 2048,
}  # fmt: skip
DEEPSEEK_V3 = {
    "parameters": 671e9, "active_parameters": 37e9, "layers": 61, "hidden_size": 7168, "heads": 128,
    "feed_forward_size": 2048, "vocabulary": 129280, "experts": 256, "experts_per_token": 8,
    "sequence_length": 4096, "global_batch_sequences": 15360, "precision": "fp8",
}  # fmt: skip
GPUS = [name for name in built_in_names() if name not in ("p6-b200-data",)]
H100 = Machines(
    group="train", instance_type="p5.48xlarge", gpu="NVIDIA H100 SXM5", nodes=16, gpus_per_node=8,
    domain_gpus=8,
    memory_gib=80, bf16_tflops=989.5, tflops=989.5, hbm_per_s=3.35e12, nvlink_per_s=450e9, efa_per_s=50e9,
)  # fmt: skip


def text_of(extends: str, workload: dict[str, Any], more: str = "") -> str:
    return f"extends: {extends}\nname: mine\n{more}workload: {json.dumps(workload)}\n"


def fit_of(cluster: Cluster) -> FitReport:
    assert cluster.design, cluster.diagnostics
    found = fit_report(cluster.design)
    assert found
    return found


def judged_of(cluster: Cluster) -> Judged:
    assert cluster.design, cluster.diagnostics
    found = judged(cluster.design.profile.workload, cluster.design.groups)
    assert found
    return found


def model(**declared: Any) -> Model:
    return model_of(Workload.model_validate(declared))


@pytest.mark.parametrize("name", built_in_names())
def test_a_profile_without_a_workload_has_no_fit_and_loads_nothing_of_it(name: str) -> None:
    cluster = load_cluster(name)
    assert cluster.design
    assert report(cluster.design).fit is None
    assert [d for d in cluster.diagnostics if d.code.startswith("WRK")] == []


@pytest.mark.long
def test_nothing_of_the_fit_is_loaded_for_a_profile_without_a_workload() -> None:
    program = (
        "import sys\nfrom config.cluster import load_cluster\nfrom config.design.report.plan import report\n"
        "report(load_cluster('p6-b200').design)\n"
        "of_the_fit = ('config.design.workload.fit', 'config.design.report.fit',"
        " 'config.catalog.workload.fit')\n"
        "print(*[name for name in sys.modules if name.startswith(of_the_fit)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == ""


def test_a_data_profile_has_no_machines_to_fit(check: Check) -> None:
    cluster = check(text_of("p6-b200-data", LLAMA_405B))
    assert cluster.design
    assert fit_report(cluster.design) is None


@each_row("extends", GPUS)
@each_row("workload", [LLAMA_405B, DEEPSEEK_V3, {"parameters": 8000000000.0}])
def test_every_family_has_a_fit_whose_parts_add_up(
    check: Check, extends: str, workload: dict[str, Any]
) -> None:
    cluster = check(text_of(extends, workload))
    fit = fit_of(cluster)
    assert cluster.design
    group = max((g for g in cluster.design.groups if g.role == "compute"), key=lambda g: g.gpus)
    assert fit.gpus == group.usable * group.instance_type.gpu.count  # type: ignore[union-attr]  # it has GPUs
    assert 0 < len(fit.splits) <= SHOWN
    assert fit.fitting <= fit.possible
    for split in fit.splits:
        memory = split.memory
        parts = (memory.weights_gib, memory.gradients_gib, memory.optimizer_gib, memory.activations_gib or 0)
        assert memory.total_gib == pytest.approx(sum(parts), abs=0.02)
        assert split.gpus == split.tensor * split.pipeline * split.context * split.data
        assert split.gpus <= fit.gpus
        if split.step:
            known = [
                s
                for s in (split.step.compute_s, split.step.hbm_s, split.step.nvlink_s, split.step.efa_s)
                if s
            ]
            assert split.step.bound_s == max(known)
            assert split.step.tokens_per_s == pytest.approx(split.step.tokens / split.step.bound_s, rel=1e-3)
    assert [s.memory.fits for s in fit.splits] == sorted((s.memory.fits for s in fit.splits), reverse=True)
    assert json.loads(json.dumps(dataclasses.asdict(fit)))["page"] == "docs/reference/fit.md"


def test_one_gpu_takes_a_small_model_and_says_what_it_lacks_of_a_large_one(check: Check) -> None:
    small = fit_of(check(text_of("p5-dev", {"parameters": 1e9})))
    assert [(s.gpus, s.memory.fits) for s in small.splits] == [(1, True)]
    assert small.nvlink_domain_gpus == 1
    # 8B parameters of 16 bytes are 119 GiB, an H100 has 80
    cluster = check(text_of("p5-dev", {"parameters": 8e9}))
    assert fit_of(cluster).fitting == 0
    (found,) = [d for d in cluster.diagnostics if d.code == "WRK017"]
    assert "119.2 GiB" in found.message
    assert "has 80" in found.message


def test_an_ultraserver_is_one_domain_of_the_gpus_that_jobs_get(check: Check) -> None:
    seventy_two = fit_of(check(text_of("p6e-gb200", DEEPSEEK_V3)))
    assert (seventy_two.gpus, seventy_two.nvlink_domain_gpus) == (68, 68)
    assert {split.exchange.leaving_percent for split in seventy_two.splits if split.exchange} == {0}
    groups = """compute:
  groups:
    - {name: controller, role: controller, instance_type: m6i.4xlarge, count: 1}
    - {name: login, role: login, instance_type: m6i.4xlarge, count: 1}
    - name: train
      role: compute
      instance_type: p6e-gb200.36xlarge
      count: %d
      capacity: {kind: training-plan, arn: "arn:aws:sagemaker:us-east-1:123456789012:training-plan/example",
                 availability_zone_id: use1-dfw2-az1, ultraserver: u-p6e-gb200x36}
"""
    split = {"parallelism": {"tensor": 2, "expert": 64}, "global_batch_sequences": 1024}
    two = fit_of(check(text_of("p6e-gb200", {**DEEPSEEK_V3, **split}, groups % 16)))
    # 8 of the 9 nodes of each of two UltraServers: 32 GPUs of 36
    assert (two.gpus, two.nvlink_domain_gpus) == (64, 32)
    (shown,) = two.splits
    assert shown.exchange
    # of 63 peers 32 are in the other domain
    assert shown.exchange.leaving_percent == pytest.approx(100 * 32 / 63, abs=0.1)


TWO_OF_72 = dataclasses.replace(
    H100, instance_type="p6e-gb200.36xlarge", nodes=36, gpus_per_node=4, domain_gpus=72
)


@pytest.mark.parametrize(
    ("gpus", "expert", "leaving"),
    [
        (144, 8, 0),
        (144, 72, 0),
        # the fifth group has GPUs 64 to 79: 8 here, 8 beyond the edge
        (144, 16, 8 / 15),
        (144, 144, 72 / 143),
        # 64 of each domain: both groups of 64 stay, and one of 128 is cut in two
        (128, 64, 0),
        (128, 16, 0),
        (128, 128, 64 / 127),
    ],
)
def test_experts_across_the_edge_of_a_domain_leave_it(gpus: int, expert: int, leaving: float) -> None:
    declared = {**DEEPSEEK_V3, "experts": 1152, "global_batch_sequences": 9216}
    model = model_of(Workload.model_validate(declared))
    found = outcome(model, TWO_OF_72, Split(data=gpus, expert=expert)).moved.exchange
    assert found
    assert found.leaving_share == pytest.approx(leaving)
    assert found.leaving_once_share <= found.leaving_share
    assert (found.leaving_once_share > 0) == (leaving > 0)


def test_experts_beyond_a_node_leave_it_over_efa_as_far_as_they_must(check: Check) -> None:
    split = {"parallelism": {"pipeline": 4, "expert": 32}, "global_batch_sequences": 1024}
    (shown,) = fit_of(check(text_of("p6-b200", {**DEEPSEEK_V3, **split}))).splits
    exchange = shown.exchange
    assert exchange
    # 4096 tokens to 8 experts of 7168 values: 1 + 1/32 bytes there, 2 back, both passes, 31 of 32 peers
    sent = 2 * 4096 * 8 * 7168 * (1 + 1 / 32 + 2) * 31 / 32
    assert exchange.layer_gb == pytest.approx(sent / 1e9, rel=1e-3)
    # 61 layers in 4 stages, 1024 sequences over 32 replicas
    assert exchange.step_gb == pytest.approx(sent * 16 * 32 / 1e9, rel=1e-3)
    assert exchange.leaving_percent == pytest.approx(100 * 24 / 31, abs=0.1)
    # evenly drawn, 8 experts of 4 nodes meet 2.7 of the 3 others
    assert exchange.leaving_once_percent == pytest.approx(100 * 3 * (1 - 0.75**8) / 8 * 32 / 31, abs=0.1)
    assert exchange.leaving_once_percent < exchange.leaving_percent


def test_zero_shares_what_it_says() -> None:
    # figure 1 of the ZeRO paper, in GB on each of 64 GPUs
    def gb(sharding: str) -> float:
        found = outcome(model(parameters=7.5e9, sharding=sharding), H100, Split(data=64))
        return found.held.total / 1e9

    assert [round(gb(way), 1) for way in ("none", "optimizer", "gradients", "weights")] == [
        120,
        31.4,
        16.6,
        1.9,
    ]


def test_the_fullest_stage_has_a_layer_more_where_stages_do_not_divide() -> None:
    shape = {"parameters": 126e9, "layers": 126, "hidden_size": 8192, "heads": 64, "sequence_length": 4096}
    held = outcome(model(**shape), H100, Split(pipeline=16)).held
    assert held.weights == pytest.approx(2 * 8e9)


def test_activations_are_those_of_korthikanti() -> None:
    # GPT-3 175B with tensor 8, pipeline 8, micro batches of 1: 34 sbh L / 8, sbh p / 8 of the embedding
    shape = {"parameters": 175e9, "layers": 96, "hidden_size": 12288, "heads": 96, "sequence_length": 2048}
    held = outcome(model(**shape, global_batch_sequences=64), H100, Split(tensor=8, pipeline=8)).held
    assert held.activations
    sbh = 2048 * 12288
    assert held.activations["selective"] == pytest.approx((34 * 96 + 8) * sbh / 8)
    assert held.activations["none"] == pytest.approx((114 * 96 + 8) * sbh / 8)
    assert held.activations["full"] == pytest.approx((2 * 96 + 34 / 8 + 1) * sbh)


def test_experts_are_distinguished_by_what_is_active() -> None:
    # Mixtral 8x7B: 46.7B, 12.9B active; 32 layers of 8 experts, each 3 x 4096 x 14336
    by_shape = 32 * 8 * 3 * 4096 * 14336
    assert expert_parameters(46.7e9, 12.9e9, 8, 2) == pytest.approx(by_shape, rel=0.001)
    declared = {
        "parameters": 46.7e9,
        "layers": 32,
        "hidden_size": 4096,
        "heads": 32,
        "kv_heads": 8,
        "experts": 8,
    }
    derived = model(**declared, feed_forward_size=14336, experts_per_token=2, sequence_length=4096)
    assert derived.active_parameters == pytest.approx(12.9e9, rel=0.005)
    assert derived.experts_hold == pytest.approx(by_shape, rel=0.001)


@pytest.mark.parametrize(
    ("shape", "billions"),
    [
        # (layers, hidden, heads, kv_heads, matrices, feed_forward, experts, embeddings, vocabulary)
        ((32, 4096, 32, 8, 3, 14336, 0, 2, 128256), 8.03),
        ((80, 8192, 64, 8, 3, 28672, 0, 2, 128256), 70.6),
        ((32, 4096, 32, 8, 3, 14336, 8, 2, 32000), 46.7),
        ((105, 20480, 128, 128, 2, 81920, 0, 1, 51200), 530),
    ],
)
def test_a_shape_has_the_parameters_of_its_model(shape: tuple[float, ...], billions: float) -> None:
    assert shape_parameters(*shape) / 1e9 == pytest.approx(billions, rel=0.003)


def test_checkpoints_are_those_of_the_storage_plan(check: Check) -> None:
    cluster = check(text_of("p6-b200", LLAMA_405B))
    fit = fit_of(cluster)
    assert cluster.design
    plan = cluster.design.checkpoints
    assert plan
    assert fit.checkpoint
    assert fit.checkpoint.gb == round(plan.size_gb, 1)
    assert (fit.checkpoint.write_s, fit.checkpoint.restore_s) == (
        round(plan.write_s, 1),
        round(plan.restore_s, 1),
    )


def test_a_run_takes_the_days_of_its_flops(check: Check) -> None:
    fit = fit_of(check(text_of("p5", {**LLAMA_405B, "training_tokens": 15.6e12})))
    assert fit.training
    # 6 x 405e9 and 12 x 126 x 16384 x 8192 of attention for each token
    flops = 6 * 405e9 + 12 * 126 * 16384 * 8192
    assert fit.training.flops == pytest.approx(15.6e12 * flops, rel=1e-3)
    at_peak = 15.6e12 * flops / (128 * 989.5e12) / 86400
    assert fit.training.days_at_least >= at_peak * 0.999
    assert fit.training.days_at_published_share == pytest.approx(
        (at_peak * 989.5 / 430, at_peak * 989.5 / 380), rel=1e-3
    )


def test_a_precision_brings_the_peak_of_its_matrices_alone(check: Check) -> None:
    def compute_s(precision: str) -> float:
        split = {"tensor": 8, "pipeline": 16}
        cluster = check(text_of("p6-b200", {**LLAMA_405B, "precision": precision, "parallelism": split}))
        step = fit_of(cluster).splits[0].step
        assert step
        return step.compute_s

    gpu = catalog().gpus["B200"]
    assert gpu.bf16_tflops
    assert gpu.fp8_tflops
    tokens, attention = 2048 * 8192, 12 * 126 * 16384 * 8192
    seconds = tokens * (6 * 405e9 / gpu.fp8_tflops + attention / gpu.bf16_tflops) / 128 / 1e12
    assert compute_s("fp8") == pytest.approx(seconds, rel=1e-3)
    assert compute_s("fp4") < compute_s("fp8") < compute_s("bf16")


def test_gpus_without_a_peak_have_memory_and_no_bound(check: Check) -> None:
    groups = """compute:
  groups:
    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}
    - {name: login, role: login, instance_type: m5.4xlarge, count: 1}
    - {name: train, role: compute, instance_type: g6.48xlarge, count: 2, capacity: {kind: on-demand}}
"""
    small = {"parameters": 1e9, "layers": 16, "hidden_size": 2048, "heads": 32, "sequence_length": 4096}
    fit = fit_of(check(text_of("p6-b200", small, groups)))
    assert fit.splits[0].memory.fits
    assert fit.splits[0].step is None


def test_a_mixture_that_does_not_say_how_many_experts_has_memory_alone(check: Check) -> None:
    fit = fit_of(check(text_of("p6-b200", {"parameters": 671e9, "experts": 256})))
    assert fit.active_parameters is None
    assert fit.splits[0].step is None
    assert {"experts_per_token", "active_parameters", "layers", "sequence_length"} <= set(fit.missing)


@each_row("extends", GPUS)
@each_row("workload", [LLAMA_405B, DEEPSEEK_V3])
def test_a_split_that_is_shown_can_be_stated(check: Check, extends: str, workload: dict[str, Any]) -> None:
    shown = fit_of(check(text_of(extends, workload))).splits
    for split in shown[:2]:
        declared = {key: getattr(split, key) for key in ("tensor", "pipeline", "context", "data", "expert")}
        cluster = check(text_of(extends, {**workload, "parallelism": declared}))
        found = {d.code for d in cluster.diagnostics if d.code.startswith("WRK")}
        # what is left over, how it fits, and the checkpoints are told of either
        assert found <= {"WRK001", "WRK002", "WRK003", "WRK004", "WRK012", "WRK017"}
        (same,) = fit_of(cluster).splits
        assert same == split


def test_a_split_of_no_size_at_all_is_reported_at_once(check: Check) -> None:
    huge = {"tensor": 4096, "pipeline": 4096, "context": 4096, "expert": 10**6, "data": 10**6}
    cluster = check(text_of("p6-b200", {"parameters": 1e18, "experts": 100000, "parallelism": huge}))
    (found,) = [d for d in cluster.diagnostics if d.code == "WRK011"]
    assert "68,719,476,736,000,000 GPUs" in found.message
    assert "8,589,934,592,000,000 nodes" in found.hint


def test_spare_nodes_are_not_trained_on(check: Check) -> None:
    groups = """compute:
  groups:
    - {name: system, role: system, instance_type: m6i.4xlarge, count: 2}
    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 17, spare: 1}
"""
    fit = fit_of(check(text_of("p6-b200", LLAMA_405B, f"orchestrator: {{kind: eks}}\n{groups}")))
    assert fit.gpus == 128


def test_every_contradiction_is_reported_at_once(check: Check) -> None:
    wrong = {
        "parameters": 405e9, "active_parameters": 500e9, "layers": 12, "hidden_size": 16384, "heads": 120,
        "kv_heads": 7, "feed_forward_size": 53248, "experts": 6, "experts_per_token": 8,
        "sequence_length": 8191, "global_batch_tokens": 16e6, "global_batch_sequences": 1000,
        "micro_batch": 3, "precision": "fp4",
        "parallelism": {"tensor": 16, "pipeline": 20, "context": 2, "expert": 5, "data": 3},
    }  # fmt: skip
    cluster = check(text_of("p5", wrong))
    found = {d.code for d in cluster.diagnostics if d.code.startswith("WRK")}
    assert found == {
        "WRK006", "WRK007", "WRK008", "WRK009", "WRK010", "WRK011", "WRK013", "WRK014", "WRK015", "WRK016",
        "WRK018",
    }  # fmt: skip
    assert cluster.exit_status == 1
    for diagnostic in cluster.diagnostics:
        if diagnostic.code.startswith("WRK"):
            assert diagnostic.hint
            assert diagnostic.path.startswith("workload")
            assert any(char.isdigit() for char in diagnostic.message)


def test_a_model_that_does_not_fit_is_a_warning_that_can_be_waived(check: Check) -> None:
    waive = "waive: [{code: WRK017, reason: only adapters are trained}]\n"
    cluster = check(text_of("p5-dev", {"parameters": 405e9}, waive))
    assert cluster.exit_status == 0
    assert [d.waived for d in cluster.diagnostics if d.code == "WRK017"] == ["only adapters are trained"]


def test_a_hint_of_sharing_makes_the_model_fit(check: Check) -> None:
    split = {"parallelism": {"tensor": 8}}
    too_large = check(text_of("p5", {"parameters": 180e9, **split}))
    assert "`sharding: weights`" in next(d.hint for d in too_large.diagnostics if d.code == "WRK017")
    shared = check(text_of("p5", {"parameters": 180e9, **split, "sharding": "weights"}))
    assert [d for d in shared.diagnostics if d.code == "WRK017"] == []


powers = st.sampled_from([1, 2, 4, 8])


@st.composite
def models(draw: st.DrawFn) -> Model:
    heads = draw(st.sampled_from([8, 16, 32, 64]))
    experts = draw(st.sampled_from([0, 8, 64]))
    parameters = draw(st.floats(1e9, 1e12))
    declared: dict[str, Any] = {
        "parameters": parameters, "layers": draw(st.integers(1, 128)),
        "hidden_size": 128 * heads, "heads": heads, "kv_heads": draw(st.sampled_from([heads, 8])),
        "sequence_length": draw(st.sampled_from([2048, 8192, 131072])), "experts": experts,
        "vocabulary": draw(st.sampled_from([None, 128256])),
        "activation_recomputation": draw(st.sampled_from(["none", "selective", "full"])),
        "sharding": draw(st.sampled_from(["none", "optimizer", "gradients", "weights"])),
        "precision": draw(st.sampled_from(["bf16", "fp8"])),
        "feed_forward_size": draw(st.sampled_from([None, 14336])),
        "global_batch_sequences": draw(st.sampled_from([None, 1024, 4096])),
    }  # fmt: skip
    if experts:
        declared["experts_per_token"] = draw(st.sampled_from([1, 2, 8]))
        declared["active_parameters"] = parameters * draw(st.floats(0.05, 1))
    return model(**{key: value for key, value in declared.items() if value is not None})


splits = st.builds(
    Split, tensor=powers, pipeline=powers, context=powers, data=st.sampled_from([1, 2, 16, 64])
)


def parts(found: Outcome) -> tuple[float, ...]:
    return found.held.weights, found.held.gradients, found.held.optimizer


@settings(max_examples=150, deadline=None)
@given(model=models(), split=splits, key=st.sampled_from(["tensor", "pipeline", "data", "context"]))
def test_more_gpus_never_need_more_memory_of_each_for_the_model_itself(
    model: Model, split: Split, key: str
) -> None:
    more = dataclasses.replace(split, **{key: 2 * getattr(split, key)})
    for before, after in zip(
        parts(outcome(model, H100, split)), parts(outcome(model, H100, more)), strict=True
    ):
        assert after <= before * (1 + 1e-9)


@settings(max_examples=150, deadline=None)
@given(model=models(), split=splits)
def test_more_replicas_or_tensor_never_need_more_memory_in_all(model: Model, split: Split) -> None:
    total = outcome(model, H100, split).held.total
    for key in ("data", "tensor", "context"):
        more = dataclasses.replace(split, **{key: 2 * getattr(split, key)})
        assert outcome(model, H100, more).held.total <= total * (1 + 1e-9)


@settings(max_examples=150, deadline=None)
@given(model=models(), split=splits)
def test_recomputation_only_saves_memory_and_only_costs_time(model: Model, split: Split) -> None:
    held = outcome(model, H100, split).held.activations
    assert held
    assert held["full"] <= held["selective"] * (1 + 1e-9)
    assert held["selective"] <= held["none"]
    ways: tuple[Recomputation, ...] = ("none", "selective", "full")
    by_way = [outcome(dataclasses.replace(model, recomputation=way), H100, split).step for way in ways]
    assert all(by_way)
    seconds = [step.compute_s for step in by_way if step]
    assert seconds == sorted(seconds)


@settings(max_examples=150, deadline=None)
@given(model=models(), split=splits)
def test_bounds_are_finite_and_no_part_is_negative(model: Model, split: Split) -> None:
    found = outcome(model, H100, split)
    assert found.step
    assert all(math.isfinite(part) and part >= 0 for part in found.step.parts.values())
    assert found.step.bound_s >= found.step.compute_s > 0
    assert found.step.bottleneck in found.step.parts
    assert found.moved.nvlink >= 0
    assert found.moved.efa >= 0
    if split.gpus <= H100.domain_gpus:
        assert found.moved.efa == 0


@settings(max_examples=60, deadline=None)
@given(model=models(), nodes=st.integers(1, 40), domain=st.sampled_from([1, 4, 8, 36, 72]))
def test_every_split_that_is_found_can_be(model: Model, nodes: int, domain: int) -> None:
    machines = dataclasses.replace(H100, nodes=nodes, domain_gpus=domain)
    found = list(candidates(model, machines))
    assert len(set(found)) == len(found) <= 20_000
    for split in found:
        assert split.gpus <= machines.gpus
        assert model.heads
        assert model.heads % split.tensor == 0
        assert split.tensor <= domain
        assert model.body
        assert split.pipeline <= model.body.layers
        assert model.body.sequence % split.context == 0
        if model.batch_sequences:
            assert model.batch_sequences % split.data == 0
        if model.experts:
            assert model.experts % split.expert == split.stage_gpus % split.expert == 0
        else:
            assert split.expert == 1
    best = search(model, machines).best
    assert len(best) == min(SHOWN, len(found))


@settings(max_examples=60, deadline=None)
@given(model=models(), expert=st.sampled_from([8, 16, 64]), domain=st.sampled_from([8, 36, 72]))
def test_a_larger_domain_never_lets_more_out(model: Model, expert: int, domain: int) -> None:
    split = Split(data=64, expert=expert)
    small = outcome(model, dataclasses.replace(H100, domain_gpus=domain), split).moved
    large = outcome(model, dataclasses.replace(H100, domain_gpus=2 * domain), split).moved
    if small.exchange and large.exchange:
        assert large.exchange.leaving_share <= small.exchange.leaving_share
        assert large.exchange.step_bytes == small.exchange.step_bytes


def test_a_search_over_two_thousand_nodes_looks_at_a_bounded_number_of_splits() -> None:
    machines = dataclasses.replace(H100, nodes=2048)
    declared = {**DEEPSEEK_V3, "sequence_length": 131072, "global_batch_sequences": 16384}
    found = search(model(**declared), machines)
    assert 100 < found.possible < 5000


def test_the_page_shows_a_profile_whose_split_fits(check: Check, tmp_path: Path) -> None:
    block = (ROOT / "docs/reference/fit.md").read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]
    fit = fit_of(check(block))
    assert fit.stated
    assert fit.splits[0].memory.fits
    assert fit.missing == ()


def test_replicas_that_are_advised_share_the_batch_and_divide_by_the_experts(check: Check) -> None:
    def hint(batch: int, expert: int, data: int) -> str | None:
        split = {"parallelism": {"tensor": 2, "expert": expert, "data": data}}
        cluster = check(text_of("p6-b200", {**DEEPSEEK_V3, **split, "global_batch_sequences": batch}))
        return next((d.hint for d in cluster.diagnostics if d.code == "WRK012"), None)

    # 64 replicas of 2 GPUs would be all of 128
    assert "set `data: 64`" in str(hint(1024, 16, 32))
    # a batch of 96 is shared by 48 of them, and by 64 not; 48 are a stage of 96 GPUs
    assert "set `data: 48`" in str(hint(96, 16, 32))
    # 96 GPUs are no whole number of groups of 64
    found = str(hint(96, 64, 32))
    assert "data:" not in found
    assert "nodes for jobs" in found


def test_the_memory_of_a_gpu_is_reported_in_as_many_digits_as_are_read(check: Check) -> None:
    groups = """compute:
  groups:
    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}
    - {name: train, role: compute, instance_type: g6e.48xlarge, count: 4}
"""
    cluster = check(text_of("p6-b200", LLAMA_405B, groups))
    (found,) = [d for d in cluster.diagnostics if d.code == "WRK017"]
    assert found.message.endswith("has 44.7 GiB")
