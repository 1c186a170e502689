"""How artefacts are read: references, texts in texts, scripts, rules and tolerations."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import config.proof
from config.proof.artefacts import Artefacts, Bundle, Found, parsed, text_of
from config.proof.interfaces import spans
from config.proof.kubernetes import tolerates
from config.proof.model import Named, Place
from config.proof.security import rules_of
from tests.conftest import ROOT


def artefacts(**templates: dict[str, Any]) -> Artefacts:
    bodies = {name: {"Resources": resources} for name, resources in templates.items()}
    return Artefacts(next(iter(bodies)), bodies, {}, {})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        ({"Ref": "Subnet"}, "${Subnet}"),
        ({"Fn::GetAtt": ["Nodes", "GroupId"]}, "${Nodes.GroupId}"),
        ({"Fn::GetAtt": "Nodes.GroupId"}, "${Nodes.GroupId}"),
        (
            {"Fn::Join": ["-", ["a", {"Ref": "B"}, {"Fn::Sub": "c-${AWS::Region}"}]]},
            "a-${B}-c-${AWS::Region}",
        ),
        ({"Fn::Sub": ["x-${Y}", {"Y": "z"}]}, "x-${Y}"),
        ({"Fn::Base64": {"Fn::Join": ["", ["#!/bin/bash\n", "true"]]}}, "#!/bin/bash\ntrue"),
        (8, "8"),
        (None, ""),
    ],
)
def test_a_value_is_text_before_anything_is_deployed(value: Any, text: str) -> None:
    assert text_of(value) == text


def test_json_in_a_join_is_read() -> None:
    manifest = {"Fn::Join": ["", ['[{"id": "', {"Ref": "Subnet"}, '"}]']]}
    assert parsed(manifest) == [{"id": "${Subnet}"}]
    assert parsed("no json") is None


def test_references_lead_to_resources_and_through_parameters_into_other_templates() -> None:
    found = artefacts(
        cluster={},
        data={
            "Group": {"Type": "AWS::EC2::SecurityGroup", "Properties": {}},
            "Published": {
                "Type": "AWS::SSM::Parameter",
                "Properties": {"Name": "/a/group", "Value": {"Fn::GetAtt": ["Group", "GroupId"]}},
            },
        },
    )
    assert found.target({"Ref": "Subnet"}, "cluster") == "cluster/Subnet"
    assert found.target("${Group.GroupId}", "data") == "data/Group"
    assert found.target("{{resolve:ssm:/a/group}}", "cluster") == "data/Group"
    assert found.target("{{resolve:ssm:/a/group:3}}", "cluster") == "data/Group"
    assert found.target("{{resolve:ssm:/elsewhere}}", "cluster") == "{{resolve:ssm:/elsewhere}}"
    assert found.target("sg-0123456789abcdef0", "cluster") == "sg-0123456789abcdef0"


def test_rules_are_those_of_a_group_and_those_that_are_resources() -> None:
    group = {"Fn::GetAtt": ["Nodes", "GroupId"]}
    inline = {"IpProtocol": "-1", "SourceSecurityGroupId": group}
    separate = {"GroupId": group, "IpProtocol": "-1", "DestinationSecurityGroupId": group}
    found = rules_of(
        artefacts(
            stack={
                "Nodes": {
                    "Type": "AWS::EC2::SecurityGroup",
                    "Properties": {
                        "SecurityGroupIngress": [inline],
                        "SecurityGroupEgress": [{"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}],
                    },
                },
                "Out": {"Type": "AWS::EC2::SecurityGroupEgress", "Properties": separate},
            }
        )
    )
    nodes = "stack/Nodes"
    incoming, outgoing = found.between(nodes, "in", nodes), found.between(nodes, "out", nodes)
    assert incoming is not None
    assert outgoing is not None
    assert incoming.place.as_text() == "stack Nodes Properties.SecurityGroupIngress[0]"
    assert outgoing.resource == "stack/Out"
    assert "do not apply to EFA" in found.fault(nodes, "out", "stack/Other")


@given(st.text(alphabet="abc =\n", max_size=60).filter(lambda text: "'" not in text))
def test_settings_are_read_with_their_line(value: str) -> None:
    text = f"FIRST='1\n2'\nWANTED='{value}'\nLAST=''\n"
    found = Bundle("eks-nodes/0123456789abcdef", {"settings.env": text}).setting("WANTED")
    assert found is not None
    assert found.value == value
    assert text.splitlines()[(found.place.line or 0) - 1].startswith("WANTED='")
    assert found.place.as_text() == "eks-nodes/0123456789abcdef/settings.env:3"


def test_what_is_not_there_is_none() -> None:
    found = Found({"a": [{"b": 1}]}, Place(artefact="stack", at="X", path="Properties"))
    one = found.at("a", 0, "b")
    assert one is not None
    assert one.place.path == "Properties.a[0].b"
    for keys in (("a", 1), ("a", "b"), ("c",), ("a", 0, "b", "c"), (0,)):
        assert found.at(*keys) is None
    assert Bundle("x", {}).setting("A") is None


TAINT = {"Key": "team", "Value": "research", "Effect": "NO_SCHEDULE"}


@pytest.mark.parametrize(
    ("toleration", "does"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "team", "operator": "Exists"}, True),
        ({"key": "team", "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": "team", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "team", "value": "research"}, True),
        ({"key": "team", "operator": "Equal", "value": "serving"}, False),
        ({"key": "gpu", "operator": "Exists"}, False),
        ({"value": "research"}, False),
    ],
)
def test_a_toleration_is_for_a_taint(toleration: dict[str, str], does: bool) -> None:
    assert tolerates(toleration, TAINT) is does


@pytest.mark.parametrize(
    ("cards", "text"),
    [([0], "card 0"), ([0, 1, 2], "cards 0 to 2"), ([1, 5, 9, 13], "cards 1, 5, 9 and 13")],
)
def test_cards_are_reported_in_words(cards: list[int], text: str) -> None:
    assert spans(cards) == text


@pytest.mark.long
def test_a_plan_does_not_pay_for_the_proof() -> None:
    code = (
        "import sys, scripts.cli.plan.command; import config.proof.walk as _;"
        "assert not {'aws_cdk', 'jsii', 'boto3'} & set(sys.modules)"
    )
    plain = "import sys, scripts.cli.main, scripts.cli.plan.command\n"
    plain += "assert 'config.proof.walk' not in sys.modules"
    for one in (code, plain):
        done = subprocess.run(
            [sys.executable, "-c", one], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_the_page_has_every_link_and_no_others() -> None:
    page = (ROOT / "docs" / "proof.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip(" `") for line in page.splitlines() if line.startswith("| `")]
    modules = [import_module(f"config.proof.{one.name}") for one in iter_modules(config.proof.__path__)]
    names = {value.name for module in modules for value in vars(module).values() if isinstance(value, Named)}
    assert rows == list(dict.fromkeys(rows))
    assert set(rows) == names
