"""The command line as a user types it: its output and exit status."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

from config.catalog.kubernetes.charts import charts
from config.profile.source.reference import built_in_names
from config.rules.codes import CODES
from scripts.cli.main import main
from scripts.cli.plan.sections.storage import duration
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


PLAN = (
    'training-plan, arn: "arn:aws:sagemaker:us-east-1:123456789012:training-plan/mine", '
    "availability_zone_id: use1-dfw2-az1, ultraserver: u-p6e-gb200x72"
)


def run(*arguments: str, columns: int = 80) -> subprocess.CompletedProcess[str]:
    """The command in this process; `in_a_process` is the same in one of its own, half a second a call."""
    out, err = io.StringIO(), io.StringIO()
    environment = {"COLUMNS": str(columns), "NO_COLOR": "1"}
    with mock.patch.dict(os.environ, environment), chdir(ROOT), redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(arguments)
        except SystemExit as ended:  # how argparse refuses
            status = int(ended.code or 0)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def in_a_process(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COLUMNS": "80", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "scripts.cli.main", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "arguments",
    [("validate", "p6-b200"), ("plan", "p6-b200", "--orchestrator", "pcs"), ("validate", "no-such-profile"),
     ("explain", "LUS02"), ("plna", "p6-b200")],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_a_process_writes_and_ends_as_the_command_does_here(arguments: tuple[str, ...]) -> None:
    here, there = run(*arguments), in_a_process(*arguments)
    assert (here.returncode, here.stdout, here.stderr) == (there.returncode, there.stdout, there.stderr)


@pytest.mark.parametrize("line", ["{} >&-", "mkdir gone && cd gone && rmdir ../gone && {}", "COLUMNS=0 {}"])
def test_a_command_works_without_an_output_a_folder_or_a_width(line: str, tmp_path: Path) -> None:
    command = f"PYTHONPATH={ROOT} {sys.executable} -m scripts.cli.main profiles"
    done = subprocess.run(["sh", "-c", line.format(command)], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("p6-b200" in done.stdout) is (">&-" not in line)


def test_profiles_lists_the_built_in_ones() -> None:
    done = run("profiles", "--json")
    assert done.returncode == 0
    assert [row["name"] for row in json.loads(done.stdout)] == built_in_names()
    shown = run("profiles").stdout
    assert [name for name in built_in_names() if name not in shown] == []


@pytest.mark.long
def test_validate_takes_many_profiles_and_ends_with_the_worst_status(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(WRONG, encoding="utf-8")
    assert run("validate", *built_in_names()).returncode == 0
    assert in_a_process("validate", "p6-b200", str(wrong)).returncode == 1
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


def test_the_name_of_a_thing_in_aws_is_shown_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    receiver = "{kind: pagerduty, secret_arn: pagerduty}"
    file.write_text(f"extends: p6-b200\nname: mine\nobservability: {{alerts: {{receivers: [{receiver}]}}}}\n")
    # `:secret:` is a picture to who takes it for one
    shown = run("validate", str(file), columns=200).stdout
    assert "arn:aws:secretsmanager:us-west-2:123456789012:secret:" in shown


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
    machines = sum(item["usd_per_hour"] for item in plan["costs"] if item["capacity"])
    assert machines == pytest.approx(2 * 0.768 + 16 * 113.9328)
    hourly = [item["usd_per_hour"] for item in plan["costs"] if item["usd_per_hour"] is not None]
    assert plan["usd_per_hour_listed"] == pytest.approx(sum(hourly), abs=0.001)


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


@pytest.mark.parametrize("columns", [60, 80])
def test_the_storage_plan_reads_well_in_a_narrow_terminal(columns: int, tmp_path: Path) -> None:
    profile = tmp_path / "llm.yaml"
    profile.write_text(
        "extends: p6-b200\nname: llm\nworkload: {parameters: 405e9, experts: 256}\n", encoding="utf-8"
    )
    shown = run("plan", str(profile), columns=columns).stdout
    storage = shown[shown.index("\nstorage\n") : shown.index("\nprice\n")]
    assert [text for text in storage.splitlines() if len(text) > columns] == []
    said = " ".join(storage.split())
    for figure in (
        "write 18.8 GB/s",
        "700 Gbps 1,200 Gbps",
        "128 of 1,024 connections; a node that falls back to TCP has 20 Gbps",
        "persistent-2 storage: 38,400 of 100,800 GiB",
        "5,670 GB in 302 s at 18.8 GB/s, limited by the file system; restore in 302 s",
        "8.1 h (optimal): saves, restores and repeated work take 2.1 % of the time",
        "one failure in 16.5 days, estimated for 128 GPUs",
        "3 checkpoints and one being written need 26,403 of 38,400 GiB",
        "(estimated, because AWS does not publish a rate)",
        "256 experts, spread over 128 GPUs: tokens travel between NVLink domains of 8 GPUs "
        "over EFA (3,200 Gbps per node)",
    ):
        assert figure in said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (26.1, "26 s"),
        (599, "599 s"),
        (605, "10 min"),
        (7200, "2 h"),
        (29159, "8.1 h"),
        (1425290, "16.5 days"),
    ],
)
def test_a_time_is_said_in_the_unit_that_one_would_use(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@pytest.mark.sample(1)
@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("profile", ["p6-b200", "p6e-gb200"])
def test_a_plan_breaks_no_word_of_its_tables_in_a_narrow_terminal(profile: str, columns: int) -> None:
    plan = json.loads(run("plan", profile, "--json").stdout)["plan"]
    shown = run("plan", profile, columns=columns).stdout
    tables = shown[shown.index("\ncompute\n") : shown.index("\nstorage\n")]
    assert [text for text in tables.splitlines() if len(text) > columns] == []
    words = set(re.split(r"[\s,]+", tables))
    named = [group[key] for group in plan["groups"] for key in ("name", "instance_type")]
    named += [subnet[key] for subnet in plan["subnets"] for key in ("name", "cidr", "zone")]
    assert set(named) - words == set()


@pytest.mark.sample(2)
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


def test_waivers_are_reported_by_plan_and_validate_and_end_with_status_0(tmp_path: Path) -> None:
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
    assert "\nwaivers\n" in text
    assert "waived error[ORC006] region: " in text
    assert "  waived: HyperPod came to Paris this month" in text
    checked = run("validate", str(profile))
    assert checked.returncode == 0
    assert " ".join(checked.stdout.split()).endswith(": ok (1 warning, 2 waived)")


def test_an_orchestrator_can_be_tried() -> None:
    refused = run("validate", "p6e-gb200", "--orchestrator", "pcs")
    assert refused.returncode == 1
    assert "ORC027" in refused.stdout
    assert run("validate", "p6-b200", "--orchestrator", "hyperpod-eks").returncode == 0
    assert (
        "did you mean hyperpod-slurm" in run("validate", "p6-b200", "--orchestrator", "hyperpod-slrm").stdout
    )


def test_a_plan_under_eks_says_who_gets_in_and_what_nodes_run(tmp_path: Path) -> None:
    profile = tmp_path / "k8s.yaml"
    profile.write_text(
        "extends: p6-b200\nname: k8s\norchestrator:\n  kind: eks\n  secrets_key: {kind: new}\n"
        "  endpoint: {kind: public, cidrs: [203.0.113.0/24]}\n  node_repair: {max_parallel: 2}\n"
        '  access: [{principal: "arn:aws:iam::123456789012:role/ml", policy: edit, namespaces: [team-a]}]\n'
        "compute:\n  groups:\n"
        "    - {name: tools, role: system, instance_type: m6i.4xlarge, count: 2}\n"
        "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 4}\n",
        encoding="utf-8",
    )
    text = run("plan", str(profile), columns=200).stdout
    assert "Kubernetes 1.35, with 12 months of extended support" in text
    assert "the API endpoint is reachable from the VPC and from 203.0.113.0/24" in text
    assert "api, audit, authenticator, controller-manager, scheduler" in text
    assert "the principal that deploys the stack is a cluster administrator" in text
    assert "ml: AmazonEKSEditPolicy in team-a" in text
    assert "vpc-cni v1.21.1-eksbuild.7" in text
    assert (
        "AL2023_x86_64_NVIDIA 1.35.6-20260714, node repair of 2 nodes at a time "
        "(ignore for 2 reasons, reboot for 22 reasons); an update launches each new node after the old node "
        "is terminated" in text
    )
    eks = json.loads(run("plan", str(profile), "--json").stdout)["plan"]["eks"]
    assert (eks["secrets_key"], eks["groups"][0]["group"]) == ("new", "tools")


def test_a_plan_under_eks_says_what_each_team_has_and_what_a_job_asks_for(tmp_path: Path) -> None:
    profile = tmp_path / "k8s.yaml"
    profile.write_text(
        "extends: p6-b200\nname: k8s\norchestrator:\n  kind: eks\n  scheduling:\n    teams:\n"
        "      - {name: vision, shares: [{group: train, nodes: 10, lend: 8}]}\n"
        "      - {name: speech, namespace: speech-jobs, shares: [{group: train, gpus: 20}]}\n"
        "compute:\n  groups:\n"
        "    - {name: tools, role: system, instance_type: m6i.4xlarge, count: 2}\n"
        "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 16}\n",
        encoding="utf-8",
    )
    text = run("plan", str(profile), columns=200).stdout
    rows = [" ".join(row.split()) for row in text.splitlines()]
    assert "vision vision train 10 80 any 8" in rows
    assert "speech speech-jobs train 2.5 20 any any" in rows
    assert "(all) - train 3.5 28 - -" in rows
    assert "nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 8, hugepages-2Mi: 5120Mi" in text
    assert "network-node-layer-4, hostname" in text
    assert "each namespace has the volume claim lustre" in text
    jobs = json.loads(run("plan", str(profile), "--json").stdout)["plan"]["jobs"]
    assert (jobs["scheduler"], jobs["groups"][0]["asks"]["nvidia.com/gpu"]) == ("kueue", "8")


@pytest.mark.parametrize(
    ("kind", "asked"),
    [("eks", "claims nvidia.com/gpu and vpc.amazonaws.com/efa"), ("hyperpod-eks", "nvidia.com/gpu: 4")],
)
def test_a_plan_of_ultraservers_says_whether_jobs_claim_their_devices(
    tmp_path: Path, kind: str, asked: str
) -> None:
    block = "capacity-block, reservation_id: cr-0a1b2c3d4e5f60718, ultraserver: u-p6e-gb200x72"
    profile = tmp_path / "domain.yaml"
    profile.write_text(
        f"extends: p6e-gb200\nname: domain\norchestrator: {{kind: {kind}}}\ncompute:\n  groups:\n"
        "    - {name: tools, role: system, instance_type: m6i.4xlarge, count: 2}\n"
        "    - {name: train, role: compute, instance_type: p6e-gb200.36xlarge, count: 17, capacity: {kind: "
        + (block if kind == "eks" else PLAN)
        + "}}\n",
        encoding="utf-8",
    )
    assert asked in run("plan", str(profile), columns=200).stdout


def test_a_plan_under_pcs_says_what_the_controller_manages_and_what_its_queues_have(tmp_path: Path) -> None:
    profile = tmp_path / "queued.yaml"
    profile.write_text(
        "extends: p6-b200\nname: queued\norchestrator: {kind: pcs, accounting: {}, rest_api: true}\n"
        "compute:\n  groups:\n"
        "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 16}\n"
        "    - {name: more, role: compute, instance_type: p6-b200.48xlarge, count: 8, scaling: dynamic}\n",
        encoding="utf-8",
    )
    text = " ".join(run("plan", str(profile), columns=100).stdout.split())
    assert (
        "Slurm 25.11, accounting, REST API; size small manages up to 32 nodes and 256 jobs, "
        "and this profile has 24 nodes" in text
    )
    assert "more nodes run only while jobs need them" in text
    assert "train: 16 nodes in group train" in text
    shown = json.loads(run("plan", str(profile), "--json").stdout)["plan"]["pcs"]
    assert (shown["size"], shown["size_jobs"], shown["dynamic"]) == ("small", 256, ["more"])


def test_every_code_can_be_explained() -> None:
    done = run("explain", "lus002")
    assert done.returncode == 0
    assert "getting-started.html" in done.stdout
    assert json.loads(run("explain", "LUS002", "--json").stdout)["code"] == "LUS002"
    assert "embedded cloud" not in done.stdout
    deployed = run("explain", "EFA001")
    assert deployed.returncode == 0
    assert "by the embedded cloud when it deploys a template, and by `ultracluster review`" in " ".join(
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
    for part in ("region: us-west-1", "PCS is not available in us-west-1", "HYPERPOD-22"):
        assert part in text
    shown = json.loads(run("explain", "ORC006", "--json").stdout)
    assert shown["waivable"] is True
    assert "us-west-1" in shown["bad"]
    assert shown["message"] == "PCS is not available in us-west-1"
    assert shown["reports"]["HYPERPOD-22"].startswith("https://")


@pytest.mark.long
def test_explain_loads_no_cdk_no_cloud_and_no_linter() -> None:
    code = (
        "import sys\n"
        "from scripts.cli.main import main\n"
        "assert main(['explain', 'REV001']) == 0\n"
        "loaded = {'aws_cdk', 'jsii', 'boto3', 'moto', 'cfnlint', 'scripts.cli.review'} & set(sys.modules)\n"
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


def test_validate_starts_no_process_and_loads_no_cdk_and_nothing_of_kubernetes() -> None:
    code = (
        "import sys, subprocess\n"
        "def refuse(*a, **k): raise AssertionError('a process was started')\n"
        "subprocess.Popen.__init__ = refuse\n"
        "from scripts.cli.main import main\n"
        "assert main(['validate', 'p6-b200']) == 0\n"
        "assert main(['plan', 'p6-b200', '--json']) == 0\n"
        "loaded = {'aws_cdk', 'jsii', 'boto3', 'moto', 'cfnlint'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
        "core = 'config.design.kubernetes.'\n"
        "loaded = {core + one for one in ('plan', 'hyperpod', 'steps')} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_plan_is_shown_under_another_control_plane() -> None:
    done = run("plan", "p6-b200", "--orchestrator", "hyperpod-eks", "--json")
    assert done.returncode == 0
    reported = json.loads(done.stdout)
    assert reported["plan"]["orchestrator"] == "hyperpod-eks"
    assert [group["name"] for group in reported["plan"]["groups"]] == ["train", "system"]
    assert "ORC031" in {d["code"] for d in reported["diagnostics"]}
    releases = {release["chart"]: release["version"] for release in reported["plan"]["eks"]["releases"]}
    assert {name: charts()[name].version for name in releases} == releases
    assert {"hyperpod-helm-chart", "kueue"} <= set(releases)


@pytest.mark.long
@pytest.mark.parametrize("form", ["text", "markdown", "json", "html"])
def test_a_reader_who_has_seen_enough_is_no_error_in_any_form(form: str) -> None:
    plan = f"{sys.executable} -m scripts.cli.main plan p5-dev --format {form}"
    command = f"{plan} | head -c 1 > /dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("image", ["", "train 1"])
def test_a_job_without_a_container_image_is_rejected(image: str) -> None:
    done = run("job", "p5", "--orchestrator", "eks", "--image", image, "--name", "a", "--command", "b")
    assert done.returncode == 2
    assert f"error: {image!r} is not a container image" in done.stderr


@pytest.mark.long
def test_a_closed_standard_input_is_an_error_without_a_traceback() -> None:
    command = f"{sys.executable} -m scripts.cli.main topology - <&-"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "error: standard input is not valid JSON")


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a device that is full")
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_full_disk_is_reported_without_a_traceback(form: str) -> None:
    command = f"{sys.executable} -m scripts.cli.main plan p5-dev --format {form} > /dev/full"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: cannot write the output: No space left on device\n"
