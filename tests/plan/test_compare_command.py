"""`ultracluster compare`, and the price and the quotas of a plan as a terminal shows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_command_line import in_a_process, run


def test_profiles_are_printed_side_by_side_at_80_columns_with_the_best_marked() -> None:
    done = run("compare", "p5", "p6-b200", "p6-b300", "p6e-gb200")
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    head = done.stdout.splitlines()[0].split()
    assert head == ["p5", "p6-b200", "p6-b300", "p6e-gb200"]
    nvlink = next(text for text in done.stdout.splitlines() if text.startswith("NVLink domain"))
    assert nvlink.split()[-5:] == ["8", "8", "8", "72", "*"]
    assert "not listed" in done.stdout


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_more_profiles_than_there_is_room_for_are_stacked(columns: int) -> None:
    done = run("compare", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200", columns=columns)
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= columns
    assert len([text for text in lines if text.startswith("GPUs ")]) >= 2
    for name in ("p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200"):
        assert len([text for text in lines if name in text.split()]) >= 1


def test_markdown_is_one_table_with_the_best_in_bold() -> None:
    done = run("compare", "p5", "p6-b200", "--format", "markdown", "--orchestrator", "eks")
    lines = done.stdout.splitlines()
    assert lines[0] == "| | p5 | p6-b200 |"
    assert {text.count("|") for text in lines} == {4}
    assert "| peak BF16, PFLOPS | 126.7 | **288** |" in lines
    assert "| price per GPU, USD/h | **6.89** | 14.25 |" in lines


def test_json_has_every_figure_and_what_was_left_out(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        "extends: p6-b200\nname: wrong\ncompute: {groups: []}\nregion: nowhere\n", encoding="utf-8"
    )
    done = run("compare", "p6-b200", str(wrong), "p5", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert found["comparison"]["profiles"] == ["p6-b200", "p5"]
    gpus = next(row for row in found["comparison"]["figures"] if row["key"] == "gpus")
    assert (gpus["values"], gpus["better"]) == ([128, 128], "more")
    assert [one["profile"] for one in found["refused"]] == [str(wrong)]
    assert found["refused"][0]["diagnostics"]


def test_a_profile_with_errors_is_reported_and_left_out() -> None:
    done = run("compare", "p6-b200", "p6e-gb200", "--orchestrator", "eks")
    assert done.returncode == 1
    assert "CAP002" in done.stderr
    assert "note[" not in done.stderr
    assert "p6e-gb200: not compared, because it has errors" in done.stderr
    assert done.stdout.splitlines()[0].split() == ["p6-b200"]


def test_nothing_to_compare_is_said_in_one_line() -> None:
    done = run("compare", "p6-b200")
    assert done.returncode == 2
    assert done.stderr.startswith("error: compare needs at least two profiles")


@pytest.mark.parametrize("arguments", [("p6-b200", "nothing-of-that-name"), ("a.yaml", "b.yaml", "--json")])
def test_a_profile_that_is_not_there_ends_in_no_traceback(arguments: tuple[str, ...]) -> None:
    done = run("compare", *arguments)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr + done.stdout


def test_two_of_one_name_are_distinguished(tmp_path: Path) -> None:
    file = tmp_path / "other.yaml"
    file.write_text("extends: p5\nname: p6-b200\n", encoding="utf-8")
    head = run("compare", "p6-b200", str(file), columns=200).stdout.splitlines()[0]
    assert head.split() == ["p6-b200", str(file)]
    twice = run("compare", "p5", "p5", columns=200).stdout.splitlines()[0]
    assert twice.split() == ["p5", "(1)", "p5", "(2)"]


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("kind", ["eks", "pcs", "hyperpod-slurm"])
def test_price_and_quotas_read_well_in_a_narrow_terminal(columns: int, kind: str) -> None:
    shown = run("plan", "p6-b200", "--orchestrator", kind, columns=columns).stdout
    reported = shown[shown.index("\nprice\n") : shown.index("\nfindings\n")]
    assert [text for text in reported.splitlines() if len(text) > columns] == []
    text = " ".join(reported.split())
    assert "USD per month of 730 hours" in text
    assert "usage-based" in text
    assert "price in us-east-1, because the catalogue has no price for us-west-2" in text


def test_the_text_tells_what_is_above_the_default_and_the_rest_in_a_line() -> None:
    shown = run("plan", "p6-b200", "--orchestrator", "eks", columns=160).stdout
    reported = shown[shown.index("\nquotas\n") : shown.index("\nfindings\n")].splitlines()
    assert "3,072 vCPUs        0  ec2: Running On-Demand P instances" in reported[3]
    assert "L-417A185B" in reported[3]
    assert any("vpc 'VPCs per Region': 1 of 5" in text for text in reported)
    hyperpod = run("plan", "p6-b200", columns=160).stdout
    assert "16 instances        -  sagemaker: ml.p6-b200.48xlarge for cluster usage" in hyperpod


def test_what_has_no_price_is_named_in_the_text() -> None:
    shown = run("plan", "p6-b200", "--orchestrator", "pcs", columns=160).stdout
    without = next(text for text in shown.splitlines() if text.startswith("not included  PCS"))
    assert "PCS controller of size small, PCS node management" in without
    assert "the catalogue has no price" in without


@pytest.mark.long
def test_validate_reads_no_prices_and_no_quotas() -> None:
    import subprocess
    import sys

    from tests.conftest import ROOT

    code = (
        "import sys; from scripts.cli.main import main; main(['validate', 'p6-b200']);"
        "print(sorted(m for m in sys.modules if m.startswith('config.') and any(w in m for w in"
        " ('catalog.money.service_prices', 'catalog.capacity.quotas',"
        " 'design.money.services', 'report.comparison'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert in_a_process("compare", "--help").returncode == 0


def test_a_type_is_in_one_piece_where_there_is_room() -> None:
    assert "16 x p5.48xlarge" in run("compare", "p5", "p6-b200", columns=200).stdout
