"""Constructs of AMP and Grafana workspaces."""

import pytest
from aws_cdk import Stack

from tests.stack.library import library_set
from tests.stack.library.support import Synthesized, lint_findings, synthesize
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


@pytest.mark.long
def test_templates_lint_clean(observability: Synthesized) -> None:
    assert lint_findings(observability.template) == []


def test_metrics_are_kept_as_long_as_asked_and_rejections_logged(observability: Synthesized) -> None:
    workspace = observability.properties("AWS::APS::Workspace")
    group, log_group = observability.named("AWS::Logs::LogGroup", "metrics")
    assert workspace["WorkspaceConfiguration"] == {
        "RetentionPeriodInDays": 150,
        "OutOfOrderTimeWindowInSeconds": 600,
    }
    assert workspace["LoggingConfiguration"] == {"LogGroupArn": {"Fn::GetAtt": [group, "Arn"]}}
    assert log_group["Properties"]["LogGroupName"] == "/aws/vendedlogs/prometheus/demo"


def test_grafana_signs_in_with_saml_by_default(observability: Synthesized) -> None:
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


def test_the_alert_manager_and_alarms_of_this_account_alone_send_to_the_topic(
    observability: Synthesized,
) -> None:
    workspace, _ = observability.named("AWS::APS::Workspace")
    allowed = observability.properties("AWS::SNS::TopicPolicy")["PolicyDocument"]["Statement"]
    by_name = {statement["Sid"]: statement for statement in allowed}
    assert by_name["AlertManager"]["Principal"] == {"Service": "aps.amazonaws.com"}
    assert by_name["AlertManager"]["Condition"] == {
        "ArnEquals": {"aws:SourceArn": {"Fn::GetAtt": [workspace, "Arn"]}},
        "StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}},
    }
    assert by_name["Alarms"]["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert by_name["Encrypted"]["Effect"] == "Deny"


def test_what_is_sent_is_encrypted_with_a_key_that_both_senders_may_use(observability: Synthesized) -> None:
    key, properties = observability.named("AWS::KMS::Key")
    topic = observability.properties("AWS::SNS::Topic")
    assert topic["KmsMasterKeyId"] == {"Fn::GetAtt": [key, "Arn"]}
    (senders,) = [
        one for one in properties["Properties"]["KeyPolicy"]["Statement"] if one.get("Sid") == "Senders"
    ]
    assert senders["Principal"]["Service"] == ["aps.amazonaws.com", "cloudwatch.amazonaws.com"]
    assert senders["Action"] == ["kms:Decrypt", "kms:GenerateDataKey*"]


def test_the_topic_comes_before_the_workspace_whose_alert_manager_names_it(
    observability: Synthesized,
) -> None:
    topic, _ = observability.named("AWS::SNS::Topic")
    definition = observability.properties("AWS::APS::Workspace")["AlertManagerDefinition"]
    assert {"Ref": topic} in definition["Fn::Join"][1]


def test_rules_topics_and_alarms_go_with_their_stack_and_metrics_stay(observability: Synthesized) -> None:
    policies = {
        resource["Type"]: resource.get("DeletionPolicy")
        for resource in observability.template["Resources"].values()
    }
    assert policies["AWS::APS::Workspace"] == "RetainExceptOnCreate"
    for kind in ("AWS::APS::RuleGroupsNamespace", "AWS::SNS::Topic", "AWS::CloudWatch::Alarm"):
        assert policies[kind] == "Delete"


def test_missing_samples_do_not_raise_an_alarm_and_its_end_is_sent(observability: Synthesized) -> None:
    for name in ("discarded", "full"):
        alarm = observability.properties("AWS::CloudWatch::Alarm", name)
        assert alarm["TreatMissingData"] == "notBreaching"
        assert alarm["OKActions"] == alarm["AlarmActions"]


def test_what_a_collector_reads_can_be_read_in_the_template(observability: Synthesized) -> None:
    scraper = observability.properties("AWS::APS::Scraper")
    assert scraper["ScrapeConfiguration"]["ConfigurationBlob"] == {"Fn::Base64": library_set.SCRAPE}
