"""How long a first deployment takes: the template says it, and the embedded cloud's clock shows the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from config.cluster import load_cluster
from config.design.report.deployment import deployment_report
from scripts.cli.rehearsal.existing import create_declared
from scripts.cloud.assets import put_assets
from scripts.cloud.engine.stack import Stack
from scripts.cloud.local import LocalCloud, local_cloud
from scripts.cloud.template.document import Template
from scripts.cloud.template.timing import creation_of, creation_path
from scripts.cloud.timeline import critical_path
from scripts.tools.deployment import deploy
from scripts.tools.fuzz.checks.deployments import check_clock
from tests.conftest import Synthesized
from tests.profile.built_in import accepted

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

QUICK = ("p6-b200", "hyperpod-slurm")
Tried = Callable[[str, str | None], Synthesized]


def expressed() -> list[Any]:
    """Every built-in profile under every control plane that it can have, its own first."""
    cases: list[Any] = [("p6-b200-data", None), *accepted()]
    return [case if case == QUICK else pytest.param(*case, marks=pytest.mark.long) for case in cases]


def deployed(local: LocalCloud, made: Synthesized, name: str, kind: str | None) -> Stack:
    design = load_cluster(name, orchestrator=kind).design
    assert design is not None
    region = design.profile.region
    local.bootstrap(region)
    create_declared(local, design.profile)
    put_assets(local, region, made.folder)
    status = deploy(local, made.text, region, design.profile.name)
    stack: Stack = local.backend(region).stack(design.profile.name)
    assert status == "CREATE_COMPLETE", [e.reason for e in stack.events if "FAILED" in e.status]
    return stack


@pytest.mark.parametrize(("name", "kind"), expressed())
def test_the_clock_shows_what_the_template_says(name: str, kind: str | None, tried: Tried) -> None:
    made = tried(name, kind)
    cluster = load_cluster(name, orchestrator=kind)
    assert cluster.design is not None
    with local_cloud() as local:
        if cluster.data_profile is not None:
            deployed(local, tried(cluster.data_profile, None), cluster.data_profile, None)
        stack = deployed(local, made, name, kind)
        assert [finding.observed for finding in check_clock(stack)] == []
        template = Template.parse(made.text)
        assert stack.clock.elapsed_s == max(one.end_s for one in creation_of(template))
        path, said = critical_path(stack), creation_path(template)
        assert [(s.logical_id, s.begin_s, s.end_s) for s in path] == [
            (s.logical_id, s.begin_s, s.end_s) for s in said
        ]
        # what the plan foresees lacks the seconds of what nothing is published of, and no more
        report = deployment_report(cluster.design)
        assert report is not None
        short = 3 * sum(one.end_s - one.begin_s == 3 for one in path)
        assert report.total_s == stack.clock.elapsed_s - short


CHAIN = {
    "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
    "First": {"Type": "AWS::EC2::RouteTable", "Properties": {"VpcId": {"Ref": "Vpc"}}},
    "Topic": {"Type": "AWS::SNS::Topic", "DependsOn": ["First"]},
    "Second": {
        "Type": "AWS::EC2::Subnet",
        "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/24"},
        "DependsOn": "Topic",
    },
    "Left": {"Type": "AWS::SNS::Topic", "Condition": "Never"},
}


def test_what_a_condition_leaves_out_takes_no_time() -> None:
    body = {"Conditions": {"Never": {"Fn::Equals": ["a", "b"]}}, "Resources": CHAIN}
    template = Template.parse(json.dumps(body))
    with local_cloud() as local:
        assert deploy(local, template.text, "us-east-1", "chain") == "CREATE_COMPLETE"
        stack: Stack = local.backend("us-east-1").stack("chain")
    said = creation_of(template, active=set(CHAIN) - {"Left"})
    assert [(s.logical_id, s.begin_s, s.end_s) for s in stack.timeline] == [
        (s.logical_id, s.begin_s, s.end_s) for s in said
    ]
    assert [one.logical_id for one in creation_path(template)] == ["Vpc", "First", "Topic", "Second"]
    assert stack.clock.elapsed_s == 17 + 6 + 3 + 10
