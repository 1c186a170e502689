"""A monthly budget, and messages by the clock."""

from datetime import UTC, datetime

import pytest
from aws_cdk import Stack

from tests.stack.library.library_set import TAGS
from tests.stack.library.nag import unacknowledged_findings
from tests.stack.library.support import Synthesized, lint_findings, synthesize
from ultracluster.capacity.reminders import EVENTS, Reminder, Reminders, RemindersProps, allow_reminders
from ultracluster.money.monthly_budget import BudgetNotice, MonthlyBudget, MonthlyBudgetProps
from ultracluster.observability import AlertKey, AlertKeyProps, AlertTopic, AlertTopicProps

pytestmark = pytest.mark.synth

NOTICE = BudgetNotice(
    percent=80,
    kind="forecast",
    emails=["ops@example.com", "ml@example.com", "ml@example.com"],
    topic_arn="arn:aws:sns:us-west-2:123456789012:costs",
)


def budget_props(*notices: BudgetNotice) -> MonthlyBudgetProps:
    return MonthlyBudgetProps(
        limit_usd=1000, tag_filter="user:ultracluster:profile$demo", notices=notices, tags=TAGS
    )


@pytest.fixture(scope="module")
def money() -> Synthesized:
    def build(stack: Stack) -> None:
        MonthlyBudget(stack, "budget", budget_props(NOTICE))
        key = AlertKey(
            stack,
            "key",
            AlertKeyProps(alias="demo", description="Calendar", senders=(EVENTS,), own_account=False),
        )
        topic = AlertTopic(
            stack, "topic", AlertTopicProps(name="demo", display_name="demo", key_arn=key.key_arn)
        )
        allow_reminders(topic, topic.topic_arn)
        at = datetime(2027, 1, 17, 9, 5, tzinfo=UTC)
        reported = [Reminder(name="train-24h", at=at, text='the "machines" go')]
        Reminders(stack, "told", RemindersProps(topic_arn=topic.topic_arn, reminders=reported, tags=TAGS))

    return synthesize(build)


@pytest.mark.long
def test_templates_lint_clean(money: Synthesized) -> None:
    assert lint_findings(money.template) == []
    assert unacknowledged_findings(money.template) == []


def test_a_budget_has_no_name_so_that_its_notices_can_change(money: Synthesized) -> None:
    assert "BudgetName" not in money.properties("AWS::Budgets::Budget")["Budget"]


def test_everybody_is_reported_once(money: Synthesized) -> None:
    (notice,) = money.properties("AWS::Budgets::Budget")["NotificationsWithSubscribers"]
    assert notice["Notification"]["NotificationType"] == "FORECASTED"
    assert [subscriber["Address"] for subscriber in notice["Subscribers"]] == [
        "ml@example.com",
        "ops@example.com",
        "arn:aws:sns:us-west-2:123456789012:costs",
    ]


def test_a_notice_that_nobody_is_reported_is_refused() -> None:
    with pytest.raises(ValueError, match="the alert at 50 % has no subscriber"):
        synthesize(
            lambda stack: MonthlyBudget(
                stack, "budget", budget_props(BudgetNotice(percent=50, kind="actual"))
            )
        )


def test_a_message_is_sent_once_and_its_sender_may_use_key_and_topic(money: Synthesized) -> None:
    rule = money.properties("AWS::Events::Rule")
    assert rule["ScheduleExpression"] == "cron(5 9 17 1 ? 2027)"
    (target,) = rule["Targets"]
    assert target["Input"] == '"the \\"machines\\" go"'
    (sends,) = [
        statement
        for statement in money.properties("AWS::SNS::TopicPolicy")["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow"
    ]
    assert sends["Principal"] == {"Service": "events.amazonaws.com"}
    encrypts = money.properties("AWS::KMS::Key")["KeyPolicy"]["Statement"][1]
    assert encrypts["Principal"] == {"Service": ["events.amazonaws.com"]}
    assert "Condition" not in encrypts
