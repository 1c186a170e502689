"""Notifications, functions, budgets, groups of resources and waiting."""

from __future__ import annotations

from .example import LOGS, NETWORK, ROLE, Client, Example, allowed, att, ref, resource

TOPIC = {"Topic": resource("AWS::SNS::Topic")}
FUNCTION_PROPERTIES = {
    "Handler": "index.handler",
    "Runtime": "python3.13",
    "Role": att("Role", "Arn"),
    "Code": {"ZipFile": "def handler(event, context): ..."},
}
FUNCTION = {**ROLE, "Function": resource("AWS::Lambda::Function", **FUNCTION_PROPERTIES)}


def _subscribed(client: Client, name: str) -> list[str]:
    logs = client("logs")
    groups = logs.describe_log_groups()["logGroups"]
    filters = [
        reported
        for group in groups
        for reported in logs.describe_subscription_filters(logGroupName=group["logGroupName"])[
            "subscriptionFilters"
        ]
    ]
    return [reported["filterPattern"] for reported in filters if reported["filterName"] == name]


EXAMPLES = (
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
        type="AWS::Events::Rule",
        properties={
            "EventPattern": {"source": ["aws.fsx"]},
            "Targets": [{"Id": "topic", "Arn": ref("Topic")}],
        },
        stands_on=TOPIC,
        change={"State": "DISABLED"},
        seen=lambda client, name: client("events").describe_rule(Name=name)["State"],
        expected="DISABLED",
        not_reported=frozenset(),
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
        type="AWS::SQS::Queue",
        properties={"SqsManagedSseEnabled": True},
        change={"MessageRetentionPeriod": 300},
        seen=lambda client, url: client("sqs").get_queue_attributes(
            QueueUrl=url, AttributeNames=["MessageRetentionPeriod"]
        )["Attributes"]["MessageRetentionPeriod"],
        expected="300",
    ),
    Example(
        type="AWS::SQS::QueuePolicy",
        properties={
            "Queues": [ref("Queue")],
            "PolicyDocument": allowed("sqs:SendMessage", "*", Principal={"Service": "events.amazonaws.com"}),
        },
        stands_on={"Queue": resource("AWS::SQS::Queue")},
        change={
            "PolicyDocument": allowed("sqs:SendMessage", "*", Principal={"Service": "sns.amazonaws.com"})
        },
        seen=lambda client, _: any(
            "sns.amazonaws.com"
            in client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"])["Attributes"][
                "Policy"
            ]
            for url in client("sqs").list_queues()["QueueUrls"]
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
            reported["ResourceType"]
            for reported in client("resource-groups").list_group_resources(Group=name)["ResourceIdentifiers"]
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
