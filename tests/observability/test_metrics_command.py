"""The command `ultracluster metrics`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from config.profile.orchestrator import ORCHESTRATORS
from scripts.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["metrics", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_rules_receivers_scrape_settings_counters_and_dashboards_are_written(
    kind: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "metrics"
    status, _, err = run(capsys, "p6-b200", "--orchestrator", kind, "--output", str(folder))
    assert status == 0
    assert "wrote" in err
    names = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    assert names >= {
        "rules.yaml", "alertmanager.yaml", "alert-manager-definition.yaml", "scrape.yaml", "counters.csv",
    }  # fmt: skip
    assert list(yaml.safe_load((folder / "rules.yaml").read_text())) == ["groups"]
    definition = yaml.safe_load((folder / "alert-manager-definition.yaml").read_text())
    assert list(definition) == ["alertmanager_config"]
    own = yaml.safe_load((folder / "alertmanager.yaml").read_text())
    assert yaml.safe_load(definition["alertmanager_config"]) == own
    jobs = {job["job_name"] for job in yaml.safe_load((folder / "scrape.yaml").read_text())["scrape_configs"]}
    assert {"node", "dcgm"} <= jobs
    assert "DCGM_EXP_XID_ERRORS_COUNT" in (folder / "counters.csv").read_text()
    dashboards = [json.loads(file.read_text()) for file in (folder / "dashboards").iterdir()]
    assert dashboards
    assert all(f"{one['uid']}.json" in {name.rpartition("/")[2] for name in names} for one in dashboards)


def test_without_a_folder_the_files_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "p6-b200")
    assert status == 0
    assert "rules.yaml" in out
    assert "replaceme" in err


def test_a_second_run_takes_away_what_it_does_not_write_any_more(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "metrics"
    run(capsys, "p6-b200", "--orchestrator", "eks", "--output", str(folder))
    (folder / "notes.txt").write_text("mine")
    profile = tmp_path / "mine.yaml"
    profile.write_text("extends: p6-b200\nname: mine\nobservability: {alerts: {receivers: []}}\n")
    status, _, _ = run(capsys, str(profile), "--output", str(folder))
    assert status == 0
    assert not (folder / "alertmanager.yaml").exists()
    assert (folder / "notes.txt").read_text() == "mine"


def test_files_of_others_are_not_written_over(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("mine")
    status, _, err = run(capsys, "p6-b200", "--output", str(tmp_path))
    assert status == 2
    assert "did not write: rules.yaml" in " ".join(err.split())
    assert [file.name for file in tmp_path.iterdir()] == ["rules.yaml"]
    assert (tmp_path / "rules.yaml").read_text() == "mine"


@pytest.mark.parametrize("text", ['["../outside.txt"]', "{}", "no json"])
def test_a_list_that_is_not_ours_is_not_believed(
    text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "metrics"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("mine")
    (folder / "ultracluster-metrics.json").write_text(text)
    status, _, err = run(capsys, "p6-b200", "--output", str(folder))
    assert status == 2
    assert "was not written by this command" in " ".join(err.split())
    assert (tmp_path / "outside.txt").read_text() == "mine"


def test_a_program_gets_one_json_value(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, err = run(capsys, "p6-b200", "--json")
    printed = json.loads(out)
    assert (status, err) == (0, "")
    assert "rules.yaml" in {file["name"] for file in printed["files"]}
    assert {"alert", "reason"} == set(printed["left_out"][0])
    profile = tmp_path / "mine.yaml"
    profile.write_text("extends: p6-b200\nname: mine\nobservability: null\n")
    status, out, _ = run(capsys, str(profile), "--json")
    assert status == 2
    assert json.loads(out)["error"] == "mine does not declare metrics"
    profile.write_text("extends: p6-b200\nname: mine\nobservability: {collection: {collector: managed}}\n")
    status, out, _ = run(capsys, str(profile), "--json")
    assert status == 1
    assert "OBS010" in {d["code"] for d in json.loads(out)["diagnostics"]}


def test_a_folder_that_cannot_be_created_is_reported_without_a_traceback(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    status, _, err = run(capsys, "p6-b200", "--output", str(tmp_path / "file" / "below"))
    assert status == 2
    assert "cannot write" in " ".join(err.split())


@pytest.mark.long
def test_the_command_starts_no_node_and_imports_no_cdk() -> None:
    program = (
        "import sys; from scripts.cli.main import main; main(['metrics', 'p6-b200', '--json']);"
        "sys.exit(any(name.split('.')[0] in ('aws_cdk', 'jsii', 'boto3') for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
