"""A monthly AWS Budgets budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, tag_list
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetNotice:
    """A budget alert: a threshold and its subscribers.

    Attributes:
        percent: Threshold in percent of the budget.
        kind: Actual costs, or the forecast for the whole month.
        emails: Email addresses, at most 10.
        topic_arn: SNS topic whose policy allows budgets.amazonaws.com to publish. None: no topic.
    """

    percent: float
    kind: Literal["actual", "forecast"]
    emails: Sequence[str] = ()
    topic_arn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthlyBudgetProps(Tagged):
    """A monthly budget.

    Attributes:
        limit_usd: Monthly limit in USD.
        tag_filter: Filter of the costs: `user:KEY$VALUE` of a cost allocation tag.
        notices: Alerts, at most 10.
    """

    limit_usd: float
    tag_filter: str
    notices: Sequence[BudgetNotice]


class MonthlyBudget(Construct):
    """A budget with a generated name. A change of the alerts replaces the budget, which needs a new name."""

    def __init__(self, scope: Construct, construct_id: str, props: MonthlyBudgetProps) -> None:
        """Create the budget; raises ValueError for an alert without subscribers."""
        super().__init__(scope, construct_id)
        for notice in props.notices:
            if not notice.emails and notice.topic_arn is None:
                raise ValueError(
                    f"the alert at {notice.percent} % has no subscriber: set `emails` or `topic_arn`"
                )
        add_resource(
            self,
            "Resource",
            "AWS::Budgets::Budget",
            {
                "Budget": {
                    "BudgetType": "COST",
                    "TimeUnit": "MONTHLY",
                    "BudgetLimit": {"Amount": props.limit_usd, "Unit": "USD"},
                    "CostFilters": {"TagKeyValue": [props.tag_filter]},
                },
                "NotificationsWithSubscribers": [_notification(notice) for notice in props.notices],
                "ResourceTags": tag_list(props.tags),
            },
            retention=Retention.DISPOSABLE,
        )


def _notification(notice: BudgetNotice) -> dict[str, Any]:
    subscribers = [{"SubscriptionType": "EMAIL", "Address": email} for email in sorted(set(notice.emails))]
    if notice.topic_arn is not None:
        subscribers.append({"SubscriptionType": "SNS", "Address": notice.topic_arn})
    return {
        "Notification": {
            "NotificationType": {"actual": "ACTUAL", "forecast": "FORECASTED"}[notice.kind],
            "ComparisonOperator": "GREATER_THAN",
            "Threshold": notice.percent,
            "ThresholdType": "PERCENTAGE",
        },
        "Subscribers": subscribers,
    }
