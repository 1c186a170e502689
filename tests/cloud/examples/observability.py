"""Metrics, logs, alarms, notifications, functions and budgets."""

from __future__ import annotations

import base64
import json

from .clusters import EKS
from .example import LOGS, NETWORK, ROLE, Client, Example, allowed, att, ref, resource

METRICS = {"Metrics": resource("AWS::APS::Workspace", Alias="metrics")}
TOPIC = {"Topic": resource("AWS::SNS::Topic")}
FUNCTION_PROPERTIES = {
    "Handler": "index.handler",
    "Runtime": "python3.13",
    "Role": att("Role", "Arn"),
    "Code": {"ZipFile": "def handler(event, context): ..."},
}
FUNCTION = {**ROLE, "Function": resource("AWS::Lambda::Function", **FUNCTION_PROPERTIES)}
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
    told = client("amp").describe_alert_manager_definition(workspaceId=arn.split("/")[-1])
    return b"pager" in told["alertManagerDefinition"]["data"]


def _rules(client: Client, arn: str) -> bytes:
    workspace, name = arn.split("/")[-2:]
    told = client("amp").describe_rule_groups_namespace(workspaceId=workspace, name=name)
    data: bytes = told["ruleGroupsNamespace"]["data"]
    return data


def _query(client: Client, arn: str) -> str:
    workspace, detector = arn.split("/")[-2:]
    told = client("amp").describe_anomaly_detector(workspaceId=workspace, anomalyDetectorId=detector)
    query: str = told["anomalyDetector"]["configuration"]["randomCutForest"]["query"]
    return query


def _interval(client: Client, arn: str) -> bool:
    told = client("amp").describe_scraper(scraperId=arn.split("/")[-1])["scraper"]
    return b"60s" in told["scrapeConfiguration"]["configurationBlob"]


def _plugins(client: Client, workspace: str) -> bool:
    told = client("grafana").describe_workspace_configuration(workspaceId=workspace)["configuration"]
    enabled: bool = json.loads(told)["plugins"]["pluginAdminEnabled"]
    return enabled


def _retention(client: Client, name: str) -> int:
    (group,) = client("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"]
    days: int = group["retentionInDays"]
    return days


def _pattern(client: Client, name: str) -> str:
    (told,) = client("logs").describe_metric_filters(filterNamePrefix=name)["metricFilters"]
    pattern: str = told["filterPattern"]
    return pattern


def _subscribed(client: Client, name: str) -> list[str]:
    logs = client("logs")
    groups = logs.describe_log_groups()["logGroups"]
    filters = [
        told
        for group in groups
        for told in logs.describe_subscription_filters(logGroupName=group["logGroupName"])[
            "subscriptionFilters"
        ]
    ]
    return [told["filterPattern"] for told in filters if told["filterName"] == name]


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
        change={"AlertManagerDefinition": "alertmanager_config: |\n  route: {receiver: pager}\n"},
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
        type="AWS::Logs::SubscriptionFilter",
        properties={
            "LogGroupName": ref("Logs"),
            "FilterPattern": "Xid",
            "DestinationArn": att("Function", "Arn"),
        },
        stands_on={**LOGS, **FUNCTION},
        change={"FilterPattern": "SXid"},
        seen=_subscribed,
        expected=["SXid"],
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
    Example(
        type="AWS::Events::Rule",
        properties={
            "EventPattern": {"source": ["aws.fsx"]},
            "Targets": [{"Id": "topic", "Arn": ref("Topic")}],
        },
        stands_on=TOPIC,
        change={"State": "DISABLED"},
        seen=lambda client, name: client("events").describe_rule(Name=name)["State"],
        expected="DISABLED",
        not_told=frozenset(),
    ),
    Example(
        type="AWS::SNS::Topic",
        change={"DisplayName": "alerts"},
        seen=lambda client, arn: client("sns").get_topic_attributes(TopicArn=arn)["Attributes"][
            "DisplayName"
        ],
        expected="alerts",
    ),
    Example(
        type="AWS::SNS::Subscription",
        properties={"TopicArn": ref("Topic"), "Protocol": "email", "Endpoint": "on-call@example.com"},
        stands_on=TOPIC,
        change={"FilterPolicy": {"severity": ["critical"]}},
        seen=lambda client, arn: client("sns").get_subscription_attributes(SubscriptionArn=arn)["Attributes"][
            "FilterPolicy"
        ],
        expected='{"severity": ["critical"]}',
    ),
    Example(
        type="AWS::SNS::TopicPolicy",
        properties={
            "Topics": [ref("Topic")],
            "PolicyDocument": allowed("sns:Publish", "*", Principal={"Service": "aps.amazonaws.com"}),
        },
        stands_on=TOPIC,
        change={
            "PolicyDocument": allowed("sns:Publish", "*", Principal={"Service": "cloudwatch.amazonaws.com"})
        },
        seen=lambda client, _: any(
            "cloudwatch.amazonaws.com"
            in client("sns").get_topic_attributes(TopicArn=topic["TopicArn"])["Attributes"]["Policy"]
            for topic in client("sns").list_topics()["Topics"]
        ),
        expected=True,
    ),
    Example(
        type="AWS::Lambda::Function",
        properties={
            **FUNCTION_PROPERTIES,
            "VpcConfig": {"SubnetIds": [ref("Subnet")], "SecurityGroupIds": [ref("Group")]},
        },
        stands_on={**ROLE, **NETWORK},
        change={"Timeout": 60, "ReservedConcurrentExecutions": 1},
        seen=lambda client, name: client("lambda").get_function_configuration(FunctionName=name)["Timeout"],
        expected=60,
    ),
    Example(
        type="AWS::Lambda::Permission",
        properties={
            "FunctionName": ref("Function"),
            "Action": "lambda:InvokeFunction",
            "Principal": "sns.amazonaws.com",
        },
        stands_on=FUNCTION,
    ),
    Example(
        type="AWS::Lambda::LayerVersion",
        properties={
            "Content": {"S3Bucket": "layers", "S3Key": "kubectl.zip"},
            "CompatibleRuntimes": ["python3.13"],
        },
    ),
    Example(
        type="AWS::Lambda::EventInvokeConfig",
        properties={"FunctionName": ref("Function"), "Qualifier": "$LATEST", "MaximumRetryAttempts": 2},
        stands_on=FUNCTION,
        change={"MaximumRetryAttempts": 0},
        seen=lambda client, name: client("lambda").get_function_event_invoke_config(
            FunctionName=name.split("|")[0]
        )["MaximumRetryAttempts"],
        expected=0,
    ),
    Example(
        type="AWS::Budgets::Budget",
        properties={
            "Budget": {
                "BudgetName": "cluster",
                "BudgetType": "COST",
                "TimeUnit": "MONTHLY",
                "BudgetLimit": {"Amount": 1000, "Unit": "USD"},
            }
        },
        change={
            "Budget": {
                "BudgetName": "cluster",
                "BudgetType": "COST",
                "TimeUnit": "MONTHLY",
                "BudgetLimit": {"Amount": 2000, "Unit": "USD"},
            }
        },
        seen=lambda client, name: client("budgets").describe_budget(
            AccountId="123456789012", BudgetName=name
        )["Budget"]["BudgetLimit"]["Amount"],
        expected="2000",
    ),
    Example(
        type="AWS::ResourceGroups::Group",
        properties={
            "Name": "reserved",
            "Configuration": [
                {"Type": "AWS::EC2::CapacityReservationPool"},
                {
                    "Type": "AWS::ResourceGroups::Generic",
                    "Parameters": [
                        {"Name": "allowed-resource-types", "Values": ["AWS::EC2::CapacityReservation"]}
                    ],
                },
            ],
        },
        stands_on={
            "Reservation": resource(
                "AWS::EC2::CapacityReservation",
                AvailabilityZone="us-east-1a",
                InstanceCount=1,
                InstancePlatform="Linux/UNIX",
                InstanceType="p5.48xlarge",
            )
        },
        change={"Resources": [att("Reservation", "CapacityReservationArn")]},
        seen=lambda client, name: [
            told["ResourceType"]
            for told in client("resource-groups").list_group_resources(Group=name)["ResourceIdentifiers"]
        ],
        expected=["AWS::EC2::CapacityReservation"],
    ),
    Example(type="AWS::CloudFormation::WaitConditionHandle", drifts=False),
    Example(
        type="AWS::CloudFormation::WaitCondition",
        properties={"Handle": ref("Handle"), "Timeout": "600", "Count": 0},
        stands_on={"Handle": resource("AWS::CloudFormation::WaitConditionHandle")},
        drifts=False,
    ),
    Example(type="AWS::CDK::Metadata", properties={"Analytics": "v2"}, drifts=False),
)
