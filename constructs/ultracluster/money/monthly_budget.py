"""A monthly budget of AWS Budgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, tag_list
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetNotice:
    """Who is told of one share of the budget.

    Attributes:
        percent: The share.
        kind: Of what was spent, or of what is forecast for the whole month.
        emails: Addresses, 10 at most.
        topic_arn: A topic of SNS whose policy lets budgets.amazonaws.com publish. None: no topic.
    """

    percent: float
    kind: Literal["actual", "forecast"]
    emails: Sequence[str] = ()
    topic_arn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthlyBudgetProps(Tagged):
    """A budget.

    Attributes:
        limit_usd: What a month may cost.
        tag_filter: Whose costs are counted: `user:KEY$VALUE` of a cost allocation tag.
        notices: Who is told, 10 at most.
    """

    limit_usd: float
    tag_filter: str
    notices: Sequence[BudgetNotice]


class MonthlyBudget(Construct):
    """A budget whose name CloudFormation makes: a change of its notices replaces it, beside the old one."""

    def __init__(self, scope: Construct, construct_id: str, props: MonthlyBudgetProps) -> None:
        """Create the budget; raises ValueError for a notice that nobody is told of."""
        super().__init__(scope, construct_id)
        for notice in props.notices:
            if not notice.emails and notice.topic_arn is None:
                raise ValueError(f"nobody is told of {notice.percent} %: give `emails` or `topic_arn`")
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
    told = [{"SubscriptionType": "EMAIL", "Address": email} for email in sorted(set(notice.emails))]
    if notice.topic_arn is not None:
        told.append({"SubscriptionType": "SNS", "Address": notice.topic_arn})
    return {
        "Notification": {
            "NotificationType": {"actual": "ACTUAL", "forecast": "FORECASTED"}[notice.kind],
            "ComparisonOperator": "GREATER_THAN",
            "Threshold": notice.percent,
            "ThresholdType": "PERCENTAGE",
        },
        "Subscribers": told,
    }
