"""`ultracluster job --user`: a job with the ids of somebody of the profile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.cli.main import main

PROFILE = """
extends: p6-b200
name: mine
orchestrator: {kind: eks, scheduling: {teams: [{name: ops}, {name: research}]}}
storage: {home: {kind: new, users: 20}}
compute:
  groups:
    - {name: system, role: system, instance_type: m6i.4xlarge, count: 2}
    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 2}
access:
  groups: [{name: research, gid: 30001}, {name: guild, gid: 30002}]
  users: [{name: ada, uid: 20001, groups: [research, guild]}, {name: bob, uid: 20002}]
"""


@pytest.fixture
def job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    file = tmp_path / "mine.yaml"
    file.write_text(PROFILE, encoding="utf-8")

    def run(*arguments: str) -> tuple[int, Any, str]:
        status = main(["job", str(file), "--image", "img:1", "--json", *arguments])
        said = capsys.readouterr()
        return status, json.loads(said.out) if status == 0 else None, said.err

    return run


def pod_of(objects: list[dict[str, Any]]) -> dict[str, Any]:
    spec: dict[str, Any] = objects[-1]["spec"]["template"]["spec"]
    return spec


def test_a_job_of_somebody_has_their_ids_their_team_and_their_home(job: Any) -> None:
    status, objects, _ = job("--user", "ada")
    assert status == 0
    pod = pod_of(objects)
    assert pod["securityContext"] == {
        "runAsUser": 20001,
        "runAsGroup": 20001,
        "runAsNonRoot": True,
        "supplementalGroups": [30001, 30002],
    }
    assert objects[-1]["metadata"]["namespace"] == "research"
    environment = {one["name"]: one["value"] for one in pod["containers"][0]["env"]}
    assert environment == {"HOME": "/home/ada", "LOGNAME": "ada", "USER": "ada"}
    (maker,) = pod["initContainers"]
    assert maker["command"][-1] == "/home/ada"
    assert "chown 20001:20001" in maker["command"][2]
    assert "fsGroup" not in json.dumps(objects)


def test_a_team_that_is_named_holds(job: Any) -> None:
    assert job("--user", "ada", "--team", "ops")[1][-1]["metadata"]["namespace"] == "ops"


def test_a_job_of_nobody_is_as_it_was(job: Any) -> None:
    pod = pod_of(job()[1])
    assert {"securityContext", "initContainers"} & pod.keys() == set()
    assert "env" not in pod["containers"][0]


def test_an_unknown_user_is_listed_the_known_ones(job: Any) -> None:
    status, _, err = job("--user", "eve")
    assert (status, "unknown user eve" in err, "ada, bob" in err) == (2, True, True)
