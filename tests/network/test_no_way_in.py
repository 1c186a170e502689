"""Clusters do not have open ports outside their network, with or without users."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import synthesize
from config.cluster import load_cluster
from config.profile.source.reference import built_in_names
from tests.conftest import Synthesized

pytestmark = pytest.mark.synth

KINDS = ("hyperpod-slurm", "hyperpod-eks", "eks", "pcs")
INSIDE = [ipaddress.ip_network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")]
ACCESS = """
access:
  users: [{name: ada, uid: 20001}]
  sessions: {logs: {retention_days: 365}}
"""


def inbound(template: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every ingress rule."""
    for resource in template["Resources"].values():
        properties = resource.get("Properties", {})
        if resource["Type"] == "AWS::EC2::SecurityGroup":
            yield from properties.get("SecurityGroupIngress", ())
        elif resource["Type"] == "AWS::EC2::SecurityGroupIngress":
            yield properties


def is_inside(rule: dict[str, Any]) -> bool:
    """Return whether a rule is for a security group or private addresses."""
    if "SourceSecurityGroupId" in rule:
        return True
    block = rule.get("CidrIp")
    return isinstance(block, str) and any(
        ipaddress.ip_network(block).subnet_of(private)  # type: ignore[arg-type]  # both are IPv4
        for private in INSIDE
    )


def check(template: dict[str, Any]) -> None:
    assert [rule for rule in inbound(template) if not is_inside(rule)] == []
    # an address of its own would be a way in where a group lets somebody in later
    launched = json.dumps([r for r in template["Resources"].values() if "LaunchTemplate" in r["Type"]])
    assert '"AssociatePublicIpAddress": true' not in launched


@pytest.mark.parametrize("name", [n for n in built_in_names() if load_cluster(n).design])
def test_a_built_in_profile_lets_nobody_in_from_outside(name: str, synthesized: Any) -> None:
    made: Synthesized = synthesized(name)
    check(made.template)


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_people_and_sessions_open_nothing(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"extends: p6-b200\nname: mine\n{ACCESS}", encoding="utf-8")
    synthesize(load_cluster(str(file), orchestrator=kind), outdir=str(tmp_path / "out"))
    template = json.loads((tmp_path / "out" / "mine.template.json").read_text(encoding="utf-8"))
    assert list(inbound(template))  # those of file systems and of EFA
    check(template)
