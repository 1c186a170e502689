"""`ultracluster job` as a user types it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.cli.main import main
from tests.conftest import ROOT
from tests.kubernetes.scheduling import faults
from tests.tools.docs.blocks import BLOCKS

IMAGE = ("--image", "123456789012.dkr.ecr.us-west-2.amazonaws.com/train:1")
PAGE = (ROOT / "docs" / "scheduling.md").read_text(encoding="utf-8")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["job", *arguments])
    reported = capsys.readouterr()
    return status, reported.out, " ".join(reported.err.split())


def two_teams(folder: Path, scheduler: str = "kueue") -> str:
    """The profile of the page, under a scheduler that has no bound for what is lent."""
    (block,) = (one for one in BLOCKS if one.page == "docs/scheduling.md" and one.name == "two-teams")
    profile = yaml.safe_load(block.text)
    orchestrator = profile["orchestrator"]
    if scheduler != "kueue":
        orchestrator["scheduler"] = scheduler
        del orchestrator["scheduling"]["kueue"]
        del orchestrator["scheduling"]["teams"][0]["shares"][0]["lend"]
    file = folder / "two-teams.yaml"
    file.write_text(yaml.safe_dump(profile), encoding="utf-8")
    return str(file)


def part_of(shown: Any, whole: Any) -> bool:
    """True where everything that is shown is so in the whole."""
    if isinstance(shown, dict):
        return all(key in whole and part_of(value, whole[key]) for key, value in shown.items())
    if isinstance(shown, list):
        return len(shown) <= len(whole) and all(part_of(a, b) for a, b in zip(shown, whole, strict=False))
    return bool(shown == whole)


@pytest.mark.parametrize("scheduler", ["kueue", "volcano", "kai"])
def test_a_job_has_its_teams_place_its_nodes_its_files_and_objects_that_are_valid(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, scheduler: str
) -> None:
    profile = two_teams(tmp_path, scheduler)
    options = ("--team", "speech", "--nodes", "4", "--command", "torchrun --nnodes 4 train.py")
    status, out, err = run(capsys, profile, *IMAGE, *options)
    assert (status, err) == (0, "")
    objects = list(yaml.safe_load_all(out))
    assert [faults(one) for one in objects] == [[] for _ in objects]
    assert {one["metadata"]["namespace"] for one in objects} == {"speech-jobs"}
    job = objects[-1]
    spec = job["spec"]["tasks"][0] if scheduler == "volcano" else job["spec"]
    assert spec["replicas" if scheduler == "volcano" else "parallelism"] == 4
    pod = spec["template"]["spec"]
    assert pod["containers"][0]["command"] == ["torchrun", "--nnodes", "4", "train.py"]
    assert {"name": "lustre", "mountPath": "/fsx"} in pod["containers"][0]["volumeMounts"]
    assert {"name": "lustre", "persistentVolumeClaim": {"claimName": "lustre"}} in pod["volumes"]


@pytest.mark.parametrize("scheduler", ["kueue", "kai"])
def test_pods_of_a_job_find_each_other_by_name_before_they_are_ready(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, scheduler: str
) -> None:
    _, out, _ = run(capsys, two_teams(tmp_path, scheduler), *IMAGE, "--name", "big")
    assert "# the first pod is big-0.big" in out
    service, job = yaml.safe_load_all(out)
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["publishNotReadyAddresses"] is True
    assert service["spec"]["selector"] == {"batch.kubernetes.io/job-name": job["metadata"]["name"]}
    assert job["spec"]["template"]["spec"]["subdomain"] == service["metadata"]["name"]


def test_the_page_shows_the_job_that_the_command_prints(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (shown,) = re.findall(r"^```text\n(metadata:.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    _, out, _ = run(capsys, two_teams(tmp_path), *IMAGE, "--team", "vision", "--nodes", "10", "--json")
    assert part_of(yaml.safe_load(shown), json.loads(out)[-1])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("p6-b200",), "the control plane of the profile is hyperpod-slurm"),
        (
            ("p6-b200", "--orchestrator", "eks", "--team", "vision"),
            "there is no team vision: the teams are training",
        ),
        (
            ("p6-b200", "--orchestrator", "eks", "--nodes", "40"),
            "40 nodes are not available: group train has 16",
        ),
        (("p6-b200", "--orchestrator", "eks", "--group", "trian"), "no compute group trian"),
        (("p6-b200", "--orchestrator", "eks", "--name", "Big_Job"), "lower-case letters"),
        (("p6-b200", "--orchestrator", "eks", "--command", "echo 'a"), "close the quotes in --command"),
    ],
)
def test_a_job_that_the_cluster_cannot_have_is_refused_with_what_it_has(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], says: str
) -> None:
    status, out, err = run(capsys, *options, *IMAGE)
    assert (status, out) == (2, "")
    assert says in err


def test_a_profile_with_errors_has_no_job(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "p6e-gb200", "--orchestrator", "eks", *IMAGE)
    assert (status, out) == (1, "")
    assert "CAP002" in err


def test_a_governed_cluster_says_whose_queues_jobs_go_through(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    profile = tmp_path / "governed.yaml"
    profile.write_text(
        "extends: p6-b200\nname: governed\n"
        "orchestrator: {kind: hyperpod-eks, task_governance: {}}\ncompute:\n"
        "  groups:\n    - {name: tools, role: system, instance_type: m5.4xlarge, count: 2}\n"
        "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 4}\n",
        encoding="utf-8",
    )
    status, _, err = run(capsys, str(profile), *IMAGE)
    assert status == 2
    assert "task governance creates the queues" in err
    assert "team queues of HyperPod task governance" in err
