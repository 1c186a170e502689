"""Budget and calendar reminders: maps the plan to props."""

from __future__ import annotations

from constructs import Construct

from config.design.capacity.reminders import reminders_of
from config.design.model import Design
from config.design.money.budget import cost_filter
from config.profile.capacity.calendar import Reminders as Declared
from config.profile.money.budget import Budget
from stacks.common import tags_of
from ultracluster.capacity.reminders import EVENTS, Reminder, Reminders, RemindersProps, allow_reminders
from ultracluster.money.monthly_budget import BudgetNotice, MonthlyBudget, MonthlyBudgetProps
from ultracluster.observability import AlertKey, AlertKeyProps, AlertTopic, AlertTopicProps


def add_money(scope: Construct, design: Design) -> str | None:
    """Add the budget and the calendar reminders; return the ARN of a new topic, None without a new topic."""
    budget, calendar = design.profile.budget, design.profile.calendar
    if budget:
        _add_budget(scope, design, budget)
    if calendar and calendar.reminders:
        return _add_reminders(scope, design, calendar.reminders)
    return None


def _add_reminders(scope: Construct, design: Design, declared: Declared) -> str | None:
    topic_arn = declared.topic_arn or _new_topic(scope, design, declared)
    reminders = [
        Reminder(name=one.name, at=one.at, text=one.text)
        for one in reminders_of(design.profile, design.calendar)
    ]
    props = RemindersProps(topic_arn=topic_arn, reminders=reminders, tags=tags_of(design.profile))
    Reminders(scope, "Reminders", props)
    return None if declared.topic_arn else topic_arn


def _new_topic(scope: Construct, design: Design, declared: Declared) -> str:
    name, tags = f"{design.profile.name}-calendar", tags_of(design.profile)
    described = f"Calendar of the cluster {design.profile.name}"
    # AWS does not document that rules send the account: a condition on the account could deny them
    key = AlertKey(
        scope,
        "CalendarKey",
        AlertKeyProps(alias=name, description=described, senders=(EVENTS,), own_account=False, tags=tags),
    )
    topic = AlertTopic(
        scope,
        "CalendarTopic",
        AlertTopicProps(
            name=name, display_name=f"Cluster {design.profile.name}"[:100], key_arn=key.key_arn,
            emails=declared.emails, tags=tags,
        ),
    )  # fmt: skip
    allow_reminders(topic, topic.topic_arn)
    return topic.topic_arn


def _add_budget(scope: Construct, design: Design, budget: Budget) -> None:
    """Add a budget for all resources with the profile's tag."""
    MonthlyBudget(
        scope,
        "Budget",
        MonthlyBudgetProps(
            limit_usd=budget.monthly_usd,
            tag_filter=cost_filter(design.profile.name),
            notices=[
                BudgetNotice(
                    percent=alert.percent, kind=alert.figure, emails=alert.emails, topic_arn=alert.topic_arn
                )
                for alert in sorted(budget.alerts, key=lambda alert: (alert.percent, alert.figure))
            ],
            tags=tags_of(design.profile),
        ),
    )
