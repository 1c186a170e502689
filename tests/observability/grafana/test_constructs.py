"""Constructs for Grafana: network, sign-in, loader function, and a workspace in another Region."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack

from tests.stack.library.nag import unacknowledged_findings
from tests.stack.library.support import Synthesized, lint_findings, synthesize
from ultracluster.observability import (
    GrafanaContent,
    GrafanaContentProps,
    GrafanaLoader,
    GrafanaLoaderProps,
    GrafanaWorkspace,
    GrafanaWorkspaceProps,
    LoaderNetwork,
    RegionalGrafanaWorkspace,
    SamlSignIn,
    add_workspace_role,
)

pytestmark = pytest.mark.synth

PROPS = GrafanaWorkspaceProps(
    name="demo",
    grafana_version="10.4",
    metrics_workspace_arns=[],
    saml=SamlSignIn(metadata_url="https://idp.example.com/m", role_attribute="role", admins=["ops"]),
    vpc_endpoint_ids=["vpce-0123456789abcdef0"],
    subnet_ids=["subnet-0123456789abcdef1", "subnet-0123456789abcdef0"],
    security_group_ids=["sg-0123456789abcdef0"],
)
LOADER = GrafanaLoaderProps(name="demo", content={"prefix": "ultracluster"}, log_retention_days=30)
SECRET = "arn:aws:secretsmanager:us-west-2:123456789012:secret:grafana-abcdef"


@pytest.fixture(scope="module")
def closed() -> Synthesized:
    def build(stack: Stack) -> None:
        workspace = GrafanaWorkspace(stack, "grafana", PROPS)
        network = LoaderNetwork(
            vpc_id="vpc-0123456789abcdef0",
            subnet_ids=["subnet-0123456789abcdef1", "subnet-0123456789abcdef0"],
        )
        loader = GrafanaLoader(
            stack,
            "loader",
            replace(
                LOADER,
                workspace_region="us-west-2",
                workspace_id=workspace.workspace_id,
                network=network,
                secret_arns=[SECRET],
            ),
        )
        props = GrafanaContentProps(
            loader=loader, workspace_id=workspace.workspace_id, workspace_region="us-west-2"
        )
        GrafanaContent(stack, "content", props)

    return synthesize(build)


def regional_set(stack: Stack) -> None:
    role_arn = add_workspace_role(stack, PROPS)
    props = replace(LOADER, workspace_region="eu-west-1", workspace_role_arn=role_arn, identity_center=True)
    loader = GrafanaLoader(stack, "loader", props)
    RegionalGrafanaWorkspace(stack, "workspace", PROPS, region="eu-west-1", role_arn=role_arn, loader=loader)


@pytest.fixture(scope="module")
def regional() -> Synthesized:
    return synthesize(regional_set)


@pytest.mark.long
def test_templates_lint_clean(closed: Synthesized, regional: Synthesized) -> None:
    assert lint_findings(closed.template) == []
    assert lint_findings(regional.template) == []


def test_a_closed_workspace_says_who_may_open_it_and_where_it_asks(closed: Synthesized) -> None:
    workspace = closed.properties("AWS::Grafana::Workspace")
    assert workspace["NetworkAccessControl"] == {"PrefixListIds": [], "VpceIds": ["vpce-0123456789abcdef0"]}
    assert workspace["VpcConfiguration"] == {
        "SecurityGroupIds": ["sg-0123456789abcdef0"],
        "SubnetIds": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    }
    assert workspace["SamlConfiguration"] == {
        "AssertionAttributes": {"Role": "role"},
        "IdpMetadata": {"Url": "https://idp.example.com/m"},
        "RoleValues": {"Admin": ["ops"]},
    }


def test_an_open_workspace_has_no_block_at_all() -> None:
    """With empty lists, no address could open Grafana."""
    props = replace(PROPS, vpc_endpoint_ids=(), subnet_ids=(), security_group_ids=(), saml=None)
    template = synthesize(lambda stack: GrafanaWorkspace(stack, "grafana", props))
    assert not {"NetworkAccessControl", "VpcConfiguration", "SamlConfiguration"} & set(
        template.properties("AWS::Grafana::Workspace")
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"security_group_ids": ()}, "both subnet_ids and security_group_ids"),
        ({"subnet_ids": ["subnet-0123456789abcdef0"]}, "at least two subnets"),
    ],
)
def test_a_network_that_the_service_refuses_is_not_rendered(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        GrafanaWorkspace(Stack(App(), "Demo"), "grafana", replace(PROPS, **wrong))


def test_the_function_works_in_its_own_workspace_only(closed: Synthesized) -> None:
    statements = closed.statements("loader")
    workspace, _ = closed.named("AWS::Grafana::Workspace")
    text, values = statements["Load"]["Resource"]["Fn::Sub"]
    assert text.endswith(":grafana:us-west-2:${AWS::AccountId}:/workspaces/${Id}")
    assert values == {"Id": {"Ref": workspace}}
    assert "grafana:CreateWorkspaceApiKey" not in statements["Load"]["Action"]
    assert not [action for action in statements["Load"]["Action"] if action.endswith("DeleteWorkspace")]
    assert statements["Secrets"]["Resource"] == [SECRET]
    assert {sid for sid, s in statements.items() if s["Resource"] == "*"} == {"KeysOfSecrets", "Interfaces"}


def test_the_function_is_in_the_vpc_where_grafana_is_closed(closed: Synthesized) -> None:
    function = closed.properties("AWS::Lambda::Function")
    group, found = closed.named("AWS::EC2::SecurityGroup")
    assert function["VpcConfig"] == {
        "SecurityGroupIds": [{"Fn::GetAtt": [group, "GroupId"]}],
        "SubnetIds": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    }
    (rule,) = found["Properties"]["SecurityGroupEgress"]
    assert (rule["FromPort"], rule["ToPort"]) == (443, 443)
    assert "SecurityGroupIngress" not in found["Properties"]


def test_the_code_and_the_content_are_one_archive(tmp_path: Path) -> None:
    app = App(analytics_reporting=False, outdir=str(tmp_path))
    template = synthesize(lambda stack: GrafanaLoader(stack, "loader", LOADER), app)
    function = template.properties("AWS::Lambda::Function")
    assets = json.loads((tmp_path / "Demo.assets.json").read_text())["files"]
    (asset,) = [one for one in assets.values() if one["source"]["packaging"] == "zip"]
    (destination,) = asset["destinations"].values()
    assert function["Code"]["S3Key"] == destination["objectKey"]
    package = tmp_path / asset["source"]["path"] / "grafana_function"
    module = function["Handler"].split(".")[1]
    assert (package / f"{module}.py").is_file()
    assert json.loads((package / "content.json").read_bytes()) == LOADER.content
    assert not list(package.rglob("*.pyc"))


def test_other_content_is_another_version_and_the_same_is_the_same() -> None:
    def version(content: dict[str, Any]) -> Any:
        def build(stack: Stack) -> None:
            loader = GrafanaLoader(stack, "loader", replace(LOADER, content=content))
            GrafanaContent(stack, "content", GrafanaContentProps(loader=loader, url="https://grafana"))

        return synthesize(build).properties("Custom::GrafanaContent")["ContentHash"]

    assert version({"a": 1, "b": 2}) == version({"b": 2, "a": 1})
    assert version({"a": 1}) != version({"a": 2})


def test_content_has_one_place() -> None:
    stack = Stack(App(analytics_reporting=False), "Demo")
    loader = GrafanaLoader(stack, "loader", LOADER)
    with pytest.raises(ValueError, match="not both"):
        GrafanaContent(stack, "none", GrafanaContentProps(loader=loader))
    with pytest.raises(ValueError, match="not both"):
        GrafanaContent(stack, "both", GrafanaContentProps(loader=loader, workspace_id="g-1", url="https://g"))


def test_a_workspace_elsewhere_is_made_with_the_same_settings(regional: Synthesized) -> None:
    made = regional.properties("Custom::GrafanaWorkspace")
    settings = json.loads(made["Settings"])
    assert made["Region"] == "eu-west-1"
    assert settings["networkAccessControl"] == {"prefixListIds": [], "vpceIds": ["vpce-0123456789abcdef0"]}
    assert settings["saml"]["roleValues"] == {"admin": ["ops"]}
    assert settings["permissionType"] == "CUSTOMER_MANAGED"
    statements = regional.statements("loader")
    assert statements["Keep"]["Resource"]["Fn::Sub"].endswith(
        ":grafana:eu-west-1:${AWS::AccountId}:/workspaces/*"
    )
    assert statements["GiveRole"]["Resource"] == made["RoleArn"]
    assert "sso:CreateManagedApplicationInstance" in statements["SignIn"]["Action"]


def test_aws_solutions_finds_nothing_that_is_not_acknowledged(
    closed: Synthesized, regional: Synthesized
) -> None:
    assert unacknowledged_findings(closed.template) == []
    assert unacknowledged_findings(regional.template) == []
