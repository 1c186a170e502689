"""The fit to the model as people read it: in a narrow terminal, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_command_line import run

LLAMA = (
    "{parameters: 405e9, layers: 126, hidden_size: 16384, heads: 128, kv_heads: 8, feed_forward_size: 53248, "
    "vocabulary: 128256, sequence_length: 8192, global_batch_sequences: 2048, training_tokens: 15.6e12%s}"
)
DEEPSEEK = (
    "{parameters: 671e9, active_parameters: 37e9, layers: 61, hidden_size: 7168, heads: 128, "
    "feed_forward_size: 2048, experts: 256, experts_per_token: 8, sequence_length: 4096, precision: fp8, "
    "parallelism: {pipeline: 4, expert: 32}}"
)


def written(folder: Path, workload: str, extends: str = "p6-b200") -> str:
    profile = folder / "llm.yaml"
    profile.write_text(f"extends: {extends}\nname: llm\nworkload: {workload}\n", encoding="utf-8")
    return str(profile)


def section(shown: str) -> str:
    start = shown.index("\nfit to the model (estimates)\n")
    return shown[start : shown.index("\nobservability\n", start)]


@pytest.mark.parametrize("columns", [60, 80])
def test_the_fit_reads_well_in_a_narrow_terminal(columns: int, tmp_path: Path) -> None:
    shown = section(run("plan", written(tmp_path, LLAMA % ""), columns=columns).stdout)
    assert [text for text in shown.splitlines() if len(text) > columns] == []
    said = " ".join(shown.split())
    for figure in (
        "405B parameters in bf16, on 128 x NVIDIA B200 (HGX) in group train, NVLink domains of 8 GPUs",
        "candidate splits fit in GPU memory; fastest first:",
        "of 179 GiB per GPU",
        "GiB of activations:",
        "limited by compute",
        "at most 1",
        "15.6T tokens need 4.11e+25 FLOPs",
        "at the utilization that Llama 3 405B reached on H100",
        "5,670 GB, saved in 302 s, restored in 302 s (see the section on checkpoints)",
        "2 + 2 + 12 bytes per parameter",
        "overlap without a bubble",
        "(docs/reference/fit.md)",
    ):
        assert figure in said


def test_a_stated_split_is_shown_alone(tmp_path: Path) -> None:
    split = ", parallelism: {tensor: 8, pipeline: 16}"
    shown = section(run("plan", written(tmp_path, LLAMA % split)).stdout)
    assert "as set in `workload.parallelism`" in shown
    header, row, *_ = (line.split() for line in shown.splitlines() if line.split()[:1] in (["tensor"], ["8"]))
    assert dict(zip(header, row, strict=False))["pipeline"] == "16"


def test_tokens_that_leave_a_domain_are_reported(tmp_path: Path) -> None:
    said = " ".join(section(run("plan", written(tmp_path, DEEPSEEK)).stdout).split())
    assert (
        "77.4 % leaves the NVLink domain over EFA if each copy of a token is sent separately, "
        "34.8 % if one copy is sent to each domain" in said
    )
    assert "4 micro-batches for each pipeline stage, because the profile does not set a batch" in said


def test_parameters_alone_say_what_else_to_state(tmp_path: Path) -> None:
    said = " ".join(section(run("plan", written(tmp_path, "{parameters: 70e9}")).stdout).split())
    assert "activations unknown" in said
    assert (
        "set `workload.layers`, `workload.hidden_size`, `workload.heads`, `workload.sequence_length`" in said
    )


def test_the_fit_is_in_the_json_plan_with_what_it_assumes(tmp_path: Path) -> None:
    plan = json.loads(run("plan", written(tmp_path, LLAMA % ""), "--json").stdout)["plan"]
    fit = plan["fit"]
    assert fit["gpus"] == 128
    assert len(fit["splits"]) == 5
    assert fit["splits"][0]["memory"]["fits"] is True
    assert fit["checkpoint"]["gb"] == plan["storage"]["checkpoint"]["gb"]
    assert fit["assumptions"]
    assert json.loads(run("plan", "p6-b200", "--json").stdout)["plan"]["fit"] is None


def test_a_profile_without_a_workload_says_nothing_of_a_fit() -> None:
    assert "fit to the model" not in run("plan", "p6-b200").stdout
