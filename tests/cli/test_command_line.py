"""The command line as a user types it: whole processes, their output and exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.profile.reference import built_in_names
from config.rules import CODES
from tests.conftest import ROOT

WRONG = """\
extends: p6-b200
name: Wrong
availability_zone: us-east-1a
storage:
  lustre: {capacity_tib: 40, throughput_mbps_per_tib: "500 MB/s"}
compute:
  groups:
    - {name: head, role: controller, instance_type: m5.4xlarge, count: 2}
    - {name: train, role: compute, instance_type: p6-b2000.48xlarge, count: 16, efa: {layout: max-ena}}
"""


def run(*arguments: str, columns: int = 80) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COLUMNS": str(columns), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "scripts.cli.main", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_profiles_lists_the_built_in_ones() -> None:
    done = run("profiles", "--json")
    assert done.returncode == 0
    assert [row["name"] for row in json.loads(done.stdout)] == built_in_names()
    shown = run("profiles").stdout
    assert [name for name in built_in_names() if name not in shown] == []


def test_validate_takes_many_profiles_and_ends_with_the_worst_status(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(WRONG, encoding="utf-8")
    assert run("validate", *built_in_names()).returncode == 0
    assert run("validate", "p6-b200", str(wrong)).returncode == 1
    assert run("validate", "p6-b200", str(wrong), "no-such-profile").returncode == 2


def test_validate_reports_every_problem_at_once_with_place_and_hint(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(WRONG, encoding="utf-8")
    (checked,) = json.loads(run("validate", str(wrong), "--json").stdout)
    found = {(diagnostic["code"], diagnostic["line"]) for diagnostic in checked["diagnostics"]}
    assert {("PRO016", 2), ("PRO021", 3), ("PRO015", 5), ("ORC002", 8), ("CAP001", 9), ("ORC003", 9)} <= found
    for diagnostic in checked["diagnostics"]:
        assert diagnostic["code"] in CODES
        assert diagnostic["hint"]
    text = run("validate", str(wrong)).stdout
    assert "did you mean p6-b200.48xlarge" in text
    assert "Traceback" not in text


def test_a_broken_file_is_a_diagnostic(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("name: [unclosed\nregion: us-west-2\n", encoding="utf-8")
    done = run("validate", str(broken))
    assert done.returncode == 1
    assert "PRO004" in done.stdout
    assert "broken.yaml:2" in done.stdout


def test_plan_has_the_figures_of_the_contract() -> None:
    plan = json.loads(run("plan", "p6-b200", "--json").stdout)["plan"]
    assert (plan["nodes"], plan["gpus"], plan["gpu_memory_gib"]) == (18, 128, 128 * 179)
    assert plan["peak"] == {"bf16_pflops": 288.0, "fp8_pflops": 576.0, "fp4_pflops": 1152.0}
    train = plan["groups"][2]
    assert (train["nvlink_domain_gpus"], train["efa_generation"], train["efa_gbps"]) == (8, "v4", 3200)
    assert (train["interfaces"], train["addresses"], train["addresses_all"]) == (8, 8, 128)
    assert plan["lustre"]["throughput_mbps"] == 18750.0
    assert [link["path"] for link in plan["lustre"]["data_repositories"]] == ["/datasets", "/checkpoints"]
    assert plan["usd_per_hour_listed"] == pytest.approx(2 * 0.768 + 16 * 113.9328)
    assert "FSx for Lustre" in plan["without_listed_price"]


def test_plan_counts_nothing_without_a_price_as_zero() -> None:
    plan = json.loads(run("plan", "p6e-gb200", "--json").stdout)["plan"]
    assert any(item.startswith("train: p6e-gb200") for item in plan["without_listed_price"])
    assert plan["groups"][2]["nvlink_domain_gpus"] == 72


def test_plan_computes_a_checkpoint_from_the_workload(tmp_path: Path) -> None:
    profile = tmp_path / "llm.yaml"
    profile.write_text("extends: p6-b200\nname: llm\nworkload: {parameters: 405e9}\n", encoding="utf-8")
    lustre = json.loads(run("plan", str(profile), "--json").stdout)["plan"]["lustre"]
    assert lustre["checkpoint_gb"] == 5670.0  # 405e9 parameters of 14 bytes
    assert lustre["checkpoint_seconds"] == pytest.approx(5670e3 / 18750, abs=0.1)


@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize(
    "command", [("plan", "p6-b200"), ("plan", "p6e-gb200"), ("profiles",), ("validate", "p5e")]
)
def test_text_fits_the_terminal(command: tuple[str, ...], columns: int) -> None:
    for text in run(*command, columns=columns).stdout.splitlines():
        assert len(text) <= columns or text.lstrip().startswith("source:"), text


def test_plan_of_a_wrong_profile_says_why_and_prints_no_plan(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(WRONG, encoding="utf-8")
    done = run("plan", str(wrong))
    assert (done.returncode, done.stdout) == (1, "")
    assert "CAP001" in done.stderr
    assert json.loads(run("plan", str(wrong), "--json").stdout)["plan"] is None


def test_waivers_are_told_by_plan_and_validate_and_end_with_status_0(tmp_path: Path) -> None:
    profile = tmp_path / "kept.yaml"
    profile.write_text(
        "extends: p6-b200\nname: kept\nregion: eu-west-3\navailability_zone: eu-west-3a\n"
        "network: {secondary_zones: []}\nstorage: null\nobservability: {grafana: null}\nwaive:\n"
        "  - {code: ORC006, reason: HyperPod came to Paris this month}\n"
        "  - {code: CAP011, reason: they are kept for us}\n",
        encoding="utf-8",
    )
    shown = json.loads(run("plan", str(profile), "--json").stdout)
    waivers = [(waiver["code"], waiver["reason"]) for waiver in shown["plan"]["waivers"]]
    assert waivers == [
        ("CAP011", "they are kept for us"),
        ("ORC006", "HyperPod came to Paris this month"),
    ]
    waived = {d["code"]: d["severity"] for d in shown["diagnostics"] if d["waived"]}
    assert waived == {"ORC006": "error", "CAP011": "note"}
    text = run("plan", str(profile), columns=100).stdout
    assert "\nwaived\n" in text
    assert "waived error[ORC006] region: " in text
    assert "  waived: HyperPod came to Paris this month" in text
    checked = run("validate", str(profile))
    assert checked.returncode == 0
    assert " ".join(checked.stdout.split()).endswith(": ok (1 warning, 2 waived)")


def test_an_orchestrator_can_be_tried() -> None:
    refused = run("validate", "p6-b200", "--orchestrator", "eks")
    assert refused.returncode == 1
    assert "ORC001" in refused.stdout
    assert run("validate", "p6-b200", "--orchestrator", "hyperpod-slurm").returncode == 0
    assert (
        "did you mean hyperpod-slurm" in run("validate", "p6-b200", "--orchestrator", "hyperpod-slrm").stdout
    )


def test_every_code_can_be_explained() -> None:
    done = run("explain", "lus002")
    assert done.returncode == 0
    assert "getting-started.html" in done.stdout
    assert json.loads(run("explain", "LUS002", "--json").stdout)["code"] == "LUS002"
    assert "embedded cloud" not in done.stdout
    deployed = run("explain", "EFA001")
    assert deployed.returncode == 0
    assert "when a template is deployed on the embedded cloud, and when it is reviewed" in " ".join(
        deployed.stdout.split()
    )
    assert "waiver   cannot be waived" in done.stdout
    unknown = run("explain", "LUS02")
    assert unknown.returncode == 2
    assert "did you mean" in unknown.stderr
    assert "LUS002" in unknown.stderr
    as_json = run("explain", "LUS02", "--json")
    assert as_json.returncode == 2
    assert "LUS002" in json.loads(as_json.stdout)["hint"]


def test_explain_shows_both_examples_and_what_the_bad_one_yields() -> None:
    text = run("explain", "ORC006").stdout
    assert "can be waived: AWS changes the Regions that have HyperPod and PCS" in text
    for part in ("region: us-west-1", "PCS is not offered in us-west-1", "HYPERPOD-22"):
        assert part in text
    shown = json.loads(run("explain", "ORC006", "--json").stdout)
    assert shown["waivable"] is True
    assert "us-west-1" in shown["bad"]
    assert shown["message"] == "PCS is not offered in us-west-1"
    assert shown["reports"]["HYPERPOD-22"].startswith("https://")


def test_explain_loads_no_cdk_no_cloud_and_no_linter() -> None:
    code = (
        "import sys\n"
        "from scripts.cli.main import main\n"
        "assert main(['explain', 'REV001']) == 0\n"
        "loaded = {'aws_cdk', 'jsii', 'boto3', 'moto', 'cfnlint', 'scripts.review'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_schema_is_json_schema_that_the_built_in_profiles_satisfy() -> None:
    import yaml
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # stubs are not locked

    schema = json.loads(run("schema").stdout)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for file in (ROOT / "config" / "profiles").glob("*.yaml"):
        assert list(validator.iter_errors(yaml.safe_load(file.read_text(encoding="utf-8")))) == [], file.name
    assert list(validator.iter_errors({"name": "x", "region": "us-west-2", "nodes": 3}))


def test_a_wrong_command_is_one_line_and_a_hint() -> None:
    done = run("plna", "p6-b200")
    assert done.returncode == 2
    assert "did you mean `plan`" in done.stderr
    assert "Traceback" not in done.stderr


def test_validate_starts_no_process_and_loads_no_cdk() -> None:
    code = (
        "import sys, subprocess\n"
        "def refuse(*a, **k): raise AssertionError('a process was started')\n"
        "subprocess.Popen.__init__ = refuse\n"
        "from scripts.cli.main import main\n"
        "assert main(['validate', 'p6-b200']) == 0\n"
        "assert main(['plan', 'p6-b200', '--json']) == 0\n"
        "loaded = {'aws_cdk', 'jsii', 'boto3', 'moto', 'cfnlint'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_plan_is_shown_although_the_control_plane_is_not_built() -> None:
    done = run("plan", "p6-b200", "--orchestrator", "eks", "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["plan"]["orchestrator"] == "eks"
    assert [group["name"] for group in told["plan"]["groups"]] == ["train"]
    assert "ORC001" in {d["code"] for d in told["diagnostics"]}
