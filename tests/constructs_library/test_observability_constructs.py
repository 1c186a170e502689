"""Metric and Grafana workspaces."""

import pytest
from aws_cdk import Stack

from tests.constructs_library import library_set
from tests.constructs_library.support import Synthesized, lint_findings, synthesize
from ultracluster.observability import GrafanaWorkspace, GrafanaWorkspaceProps
from ultracluster.retention import Retention

pytestmark = pytest.mark.synth


@pytest.fixture(scope="module")
def observability() -> Synthesized:
    def build(stack: Stack) -> None:
        library_set.add_observability(stack, Retention.RETAIN)
        props = GrafanaWorkspaceProps(
            name="sso", grafana_version="12.4", metrics_workspace_arns=[], authentication="AWS_SSO"
        )
        GrafanaWorkspace(stack, "sso", props)

    return synthesize(build)


def test_templates_lint_clean(observability: Synthesized) -> None:
    assert lint_findings(observability.template) == []


def test_metrics_are_kept_as_long_as_asked_and_rejections_logged(observability: Synthesized) -> None:
    workspace = observability.properties("AWS::APS::Workspace")
    group, log_group = observability.named("AWS::Logs::LogGroup")
    assert workspace["WorkspaceConfiguration"] == {"RetentionPeriodInDays": 150}
    assert workspace["LoggingConfiguration"] == {"LogGroupArn": {"Fn::GetAtt": [group, "Arn"]}}
    assert log_group["Properties"]["LogGroupName"] == "/aws/vendedlogs/prometheus/demo"


def test_grafana_signs_in_with_saml_unless_told_otherwise(observability: Synthesized) -> None:
    saml = observability.properties("AWS::Grafana::Workspace", "grafana")
    sso = observability.properties("AWS::Grafana::Workspace", "sso")
    assert saml["AuthenticationProviders"] == ["SAML"]
    assert sso["AuthenticationProviders"] == ["AWS_SSO"]
    assert saml["PermissionType"] == "CUSTOMER_MANAGED"
    assert saml["AccountAccessType"] == "CURRENT_ACCOUNT"
    assert saml["GrafanaVersion"] == "12.4"
    assert saml["PluginAdminEnabled"] is True  # OBS-22


def test_grafana_queries_only_the_given_workspaces(observability: Synthesized) -> None:
    workspace, _ = observability.named("AWS::APS::Workspace")
    statements = observability.statements("grafana")
    assert statements["Prometheus"]["Resource"] == [{"Fn::GetAtt": [workspace, "Arn"]}]
    assert "aps:QueryMetrics" in statements["Prometheus"]["Action"]
    assert set(observability.statements("sso")) == {"CloudWatch"}


def test_grafana_may_not_change_anything(observability: Synthesized) -> None:
    for statement in observability.statements("grafana").values():
        for action in statement["Action"]:
            assert action.partition(":")[2].startswith(("Describe", "Get", "List", "Query")), action
