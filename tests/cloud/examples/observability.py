"""Metrics, logs, alarms and dashboards."""

from __future__ import annotations

import base64
import json

from .clusters import EKS
from .example import LOGS, ROLE, Client, Example, allowed, att, ref, resource

METRICS = {"Metrics": resource("AWS::APS::Workspace", Alias="metrics")}
ALERTS = "{route: {receiver: pager}, receivers: [{name: pager}]}"
ALARM = {
    "Namespace": "AWS/FSx",
    "MetricName": "StorageCapacityUtilization",
    "Statistic": "Maximum",
    "Period": 300,
    "EvaluationPeriods": 3,
    "ComparisonOperator": "GreaterThanThreshold",
    "Threshold": 80,
}


def _blob(interval: str) -> dict[str, object]:
    text = f"global: {{scrape_interval: {interval}}}\nscrape_configs: []\n"
    return {"ScrapeConfiguration": {"ConfigurationBlob": base64.b64encode(text.encode()).decode()}}


def _detector(query: str) -> dict[str, object]:
    return {"Configuration": {"RandomCutForest": {"Query": query}}}


def _definition(client: Client, arn: str) -> bool:
    reported = client("amp").describe_alert_manager_definition(workspaceId=arn.split("/")[-1])
    return b"pager" in reported["alertManagerDefinition"]["data"]


def _rules(client: Client, arn: str) -> bytes:
    workspace, name = arn.split("/")[-2:]
    reported = client("amp").describe_rule_groups_namespace(workspaceId=workspace, name=name)
    data: bytes = reported["ruleGroupsNamespace"]["data"]
    return data


def _query(client: Client, arn: str) -> str:
    workspace, detector = arn.split("/")[-2:]
    reported = client("amp").describe_anomaly_detector(workspaceId=workspace, anomalyDetectorId=detector)
    query: str = reported["anomalyDetector"]["configuration"]["randomCutForest"]["query"]
    return query


def _interval(client: Client, arn: str) -> bool:
    reported = client("amp").describe_scraper(scraperId=arn.split("/")[-1])["scraper"]
    return b"60s" in reported["scrapeConfiguration"]["configurationBlob"]


def _plugins(client: Client, workspace: str) -> bool:
    reported = client("grafana").describe_workspace_configuration(workspaceId=workspace)["configuration"]
    enabled: bool = json.loads(reported)["plugins"]["pluginAdminEnabled"]
    return enabled


def _retention(client: Client, name: str) -> int:
    (group,) = client("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"]
    days: int = group["retentionInDays"]
    return days


def _pattern(client: Client, name: str) -> str:
    (reported,) = client("logs").describe_metric_filters(filterNamePrefix=name)["metricFilters"]
    pattern: str = reported["filterPattern"]
    return pattern


def _transformation(name: str) -> list[dict[str, object]]:
    return [{"MetricNamespace": "Gpu", "MetricName": name, "MetricValue": "1"}]


EXAMPLES = (
    Example(
        type="AWS::APS::Workspace",
        properties={
            "Alias": "metrics",
            "LoggingConfiguration": {"LogGroupArn": att("Logs", "Arn")},
            "WorkspaceConfiguration": {"RetentionPeriodInDays": 90},
        },
        stands_on=LOGS,
        change={"AlertManagerDefinition": f"alertmanager_config: |\n  {ALERTS}\n"},
        seen=_definition,
        expected=True,
    ),
    Example(
        type="AWS::APS::RuleGroupsNamespace",
        properties={"Workspace": ref("Metrics"), "Name": "gpu", "Data": "groups: []\n"},
        stands_on=METRICS,
        change={"Data": "groups: [{name: xid, rules: []}]\n"},
        seen=_rules,
        expected=b"groups: [{name: xid, rules: []}]\n",
    ),
    Example(
        type="AWS::APS::ResourcePolicy",
        properties={
            "WorkspaceArn": ref("Metrics"),
            "PolicyDocument": json.dumps(allowed("aps:QueryMetrics", "*", Principal={"AWS": "123456789012"})),
        },
        stands_on=METRICS,
        change={
            "PolicyDocument": json.dumps(allowed("aps:RemoteWrite", "*", Principal={"AWS": "123456789012"}))
        },
        seen=lambda client, arn: (
            "RemoteWrite"
            in client("amp").describe_resource_policy(workspaceId=arn.split("/")[-1])["policyDocument"]
        ),
        expected=True,
    ),
    Example(
        type="AWS::APS::Scraper",
        properties={
            "Source": {
                "EksConfiguration": {
                    "ClusterArn": att("Cluster", "Arn"),
                    "SubnetIds": [ref("Subnet"), ref("Second")],
                    "SecurityGroupIds": [ref("Group")],
                }
            },
            "Destination": {"AmpConfiguration": {"WorkspaceArn": ref("Metrics")}},
            **_blob("30s"),
        },
        stands_on={**EKS, **METRICS},
        change=_blob("60s"),
        seen=_interval,
        expected=True,
    ),
    Example(
        type="AWS::APS::AnomalyDetector",
        properties={"Workspace": ref("Metrics"), "Alias": "tokens", **_detector("sum(tokens)")},
        stands_on=METRICS,
        change=_detector("avg(tokens)"),
        seen=_query,
        expected="avg(tokens)",
    ),
    Example(
        type="AWS::Grafana::Workspace",
        properties={
            "AuthenticationProviders": ["SAML"],
            "PermissionType": "CUSTOMER_MANAGED",
            "AccountAccessType": "CURRENT_ACCOUNT",
            "RoleArn": att("Role", "Arn"),
        },
        stands_on=ROLE,
        change={"PluginAdminEnabled": True, "Description": "dashboards"},
        seen=_plugins,
        expected=True,
    ),
    Example(
        type="AWS::Logs::LogGroup",
        properties={"RetentionInDays": 30},
        change={"RetentionInDays": 90},
        seen=_retention,
        expected=90,
    ),
    Example(
        type="AWS::Logs::MetricFilter",
        properties={
            "LogGroupName": ref("Logs"),
            "FilterPattern": "Xid",
            "MetricTransformations": _transformation("Xid"),
        },
        stands_on=LOGS,
        change={"FilterPattern": "SXid"},
        seen=_pattern,
        expected="SXid",
    ),
    Example(
        type="AWS::Logs::ResourcePolicy",
        properties={
            "PolicyName": "delivery",
            "PolicyDocument": json.dumps(allowed("logs:PutLogEvents", "*", Principal="*")),
        },
        change={"PolicyDocument": json.dumps(allowed("logs:CreateLogStream", "*", Principal="*"))},
        seen=lambda client, _: (
            "CreateLogStream"
            in client("logs").describe_resource_policies()["resourcePolicies"][0]["policyDocument"]
        ),
        expected=True,
    ),
    Example(
        type="AWS::CloudWatch::Alarm",
        properties=ALARM,
        change={"Threshold": 90},
        seen=lambda client, name: client("cloudwatch").describe_alarms(AlarmNames=[name])["MetricAlarms"][0][
            "Threshold"
        ],
        expected=90,
    ),
    Example(
        type="AWS::CloudWatch::CompositeAlarm",
        properties={"AlarmRule": {"Fn::Sub": 'ALARM("${Alarm}")'}},
        stands_on={"Alarm": resource("AWS::CloudWatch::Alarm", **ALARM)},
        change={"AlarmDescription": "storage"},
        seen=lambda client, name: client("cloudwatch").describe_alarms(
            AlarmNames=[name], AlarmTypes=["CompositeAlarm"]
        )["CompositeAlarms"][0]["AlarmDescription"],
        expected="storage",
    ),
    Example(
        type="AWS::CloudWatch::Dashboard",
        properties={"DashboardBody": '{"widgets": []}'},
        change={"DashboardBody": '{"widgets": [], "start": "-PT6H"}'},
        seen=lambda client, name: (
            "PT6H" in client("cloudwatch").get_dashboard(DashboardName=name)["DashboardBody"]
        ),
        expected=True,
    ),
)
