"""File systems whose names and groups run into each other have ids and rules of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Synthesized

pytestmark = pytest.mark.synth

EXISTING = """\
extends: p5-dev
name: shares-a-group
network:
  kind: existing
  vpc_id: vpc-0123456789abcdef0
  vpc_cidr: 10.0.0.0/16
  subnets: [{id: subnet-0123456789abcdef0, cidr: 10.0.0.0/17, availability_zone_id: use2-az3}]
storage:
  additional_lustre:
    - {name: one, kind: existing, file_system_id: fs-0123456789abcdef1, mount_name: aaaaaaaa,
       mount_path: /one, security_group_id: sg-0123456789abcdef0,
       capacity_gib: 1200, throughput_mbps_per_tib: 125}
    - {name: two, kind: existing, file_system_id: fs-0123456789abcdef2, mount_name: bbbbbbbb,
       mount_path: /two, security_group_id: sg-0123456789abcdef0,
       capacity_gib: 1200, throughput_mbps_per_tib: 125}
  home: {kind: existing, file_system_id: fs-0123456789abcdef3, security_group_id: sg-0123456789abcdef0}
"""
ALIKE = """\
extends: p5-dev
name: alike
storage:
  lustre: {data_repositories: [{path: /scratch-data, bucket: new, export: [new]}]}
  additional_lustre:
    - {name: scratch, kind: new, deployment: scratch-2, capacity_gib: 1200, mount_path: /scratch,
       data_repositories: [{path: /data, bucket: new, export: [new]}]}
"""
RULES = ("AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")


@pytest.fixture
def made(tmp_path: Path, synthesized: Callable[[str], Synthesized]) -> Callable[[str], Synthesized]:
    def make(text: str) -> Synthesized:
        file = tmp_path / "mine.yaml"
        file.write_text(text, encoding="utf-8")
        return synthesized(str(file))

    return make


def test_one_group_of_several_file_systems_gets_each_rule_once(made: Callable[[str], Synthesized]) -> None:
    stack = made(EXISTING)
    rules = [
        json.dumps({k: v for k, v in rule["Properties"].items() if k != "Description"}, sort_keys=True)
        for kind in RULES
        for rule in stack.resources(kind).values()
    ]
    assert len(set(rules)) == len(rules)
    theirs = [json.loads(rule) for rule in rules if '"GroupId": "sg-0123456789abcdef0"' in rule]
    assert {(rule["FromPort"], rule["IpProtocol"]) for rule in theirs} >= {
        (988, "tcp"), (1018, "tcp"), (2049, "tcp"), (111, "udp"),
    }  # fmt: skip


def test_repositories_whose_names_read_alike_have_buckets_of_their_own(
    made: Callable[[str], Synthesized],
) -> None:
    stack = made(ALIKE)
    paths = [
        link["Properties"]["DataRepositoryPath"]
        for link in stack.resources("AWS::FSx::DataRepositoryAssociation").values()
    ]
    assert len({json.dumps(path) for path in paths}) == 2


def test_logs_of_two_profiles_do_not_run_into_each_other(made: Callable[[str], Synthesized]) -> None:
    names = {
        group["Properties"]["LogGroupName"] for group in made(ALIKE).resources("AWS::Logs::LogGroup").values()
    }
    assert {"/aws/fsx/lustre/alike", "/aws/fsx/lustre/alike/scratch"} <= names
    assert "/aws/fsx/lustre/alike-scratch" not in names
