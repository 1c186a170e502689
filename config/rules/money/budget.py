"""Rules for budgets: AWS Budgets must accept them, and they must cover the cluster's costs."""

from __future__ import annotations

import math
from collections.abc import Iterator

from config.design.model import Design
from config.design.money.budget import month_of
from config.design.money.machines import HOURS_A_MONTH
from config.design.tags import PROFILE_TAG
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_NOTICES = (
    "https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/"
    "API_budgets_NotificationWithSubscribers.html"
)
_PRACTICE = "https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/budgets-best-practices.html"
_TAGS = "https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_UpdateCostAllocationTagsStatus.html"
_TYPE = "https://github.com/aws-cloudformation/cfn-lint"

WITHOUT_BUDGETS = (
    "af-south-1", "ap-east-1", "ap-east-2", "ap-northeast-3", "ap-south-2", "ap-southeast-3", "ap-southeast-4",
    "ap-southeast-5", "ap-southeast-6", "ap-southeast-7", "ca-west-1", "eu-central-2", "eu-north-1", "eu-south-1",
    "eu-south-2", "il-central-1", "me-central-1", "mx-central-1", "us-gov-east-1", "us-gov-west-1",
)  # fmt: skip
"""Regions without AWS::Budgets::Budget in CloudFormation, from the resource specifications in cfn-lint 1.58."""

_COSTS = "budget compute orchestrator region network storage observability calendar images data"
"""Profile keys that affect the price of a cluster."""


@rule(
    "BUD001", ERROR, "each budget alert has a subscriber",
    why="AWS Budgets rejects a notification without a subscriber, and CloudFormation rolls back the stack.",
    source=_NOTICES, reads="budget", where="budget",
)  # fmt: skip
def alerts_have_subscribers(design: Design) -> Iterator[Finding]:
    """Check `emails` and `topic_arn` of each alert."""
    budget = design.profile.budget
    for i, alert in enumerate(budget.alerts if budget else ()):
        if not alert.emails and alert.topic_arn is None:
            yield Finding(
                at=("budget", "alerts", i),
                message=f"the alert at {alert.percent} % ({alert.figure}) has no subscriber",
                hint="add `emails: [ml-ops@example.com]` or `topic_arn:`",
            )


@rule(
    "BUD002", ERROR, "each budget alert is unique",
    why="AWS Budgets rejects a second notification with the same type and threshold, and CloudFormation rolls back the stack.",
    source=_NOTICES, reads="budget", where="budget",
)  # fmt: skip
def alerts_differ(design: Design) -> Iterator[Finding]:
    """Check that `percent` and `figure` differ between alerts."""
    budget = design.profile.budget
    seen: set[tuple[int, str]] = set()
    for i, alert in enumerate(budget.alerts if budget else ()):
        if (alert.percent, alert.figure) in seen:
            yield Finding(
                at=("budget", "alerts", i, "percent"),
                message=f"the alert at {alert.percent} % ({alert.figure}) is declared twice",
                hint="declare one alert, with all addresses in `emails`",
            )
        seen.add((alert.percent, alert.figure))


@rule(
    "BUD003", WARNING, "the budget is at least the cluster's cost at list prices",
    why="If the cluster's normal cost exceeds the budget, the alert fires every month and users ignore it.",
    source="docs/money.md", reads=_COSTS, where="budget",
)  # fmt: skip
def budget_covers_the_cost(design: Design) -> Iterator[Finding]:
    """Check `monthly_usd` against 730 hours of everything that is billed by the hour."""
    budget = design.profile.budget
    if budget is None:
        return
    month = month_of(design)
    if month.usd > budget.monthly_usd:
        yield Finding(
            at=("budget", "monthly_usd"),
            message=f"a month ({HOURS_A_MONTH} hours) of the cluster costs {month.usd:,.0f} USD at list prices, but the budget is "
            f"{budget.monthly_usd:,.0f} USD",
            hint=f"set `monthly_usd` to {math.ceil(month.usd)} or more, or use fewer instances; if instances do not run the whole "
            "month, waive BUD003",
        )


@rule(
    "BUD004", NOTE, "the costs that a budget does not cover are reported",
    why="Without this report, the budget appears to cover all costs.",
    source="docs/money.md", reads=_COSTS, where="budget",
)  # fmt: skip
def uncovered_costs_are_reported(design: Design) -> Iterator[Finding]:
    """Report resources without a list price, and capacity that is paid in advance."""
    if design.profile.budget is None:
        return
    month = month_of(design)
    at = ("budget", "monthly_usd")
    if month.paid_in_advance:
        named = " and ".join(month.paid_in_advance)
        yield Finding(
            at=at,
            message=f"instances of {named} are paid in advance, so this budget does not include their price",
            hint="create a budget for the Capacity Block or training plan in the account that buys it",
        )
    unpriced, by_use = (", ".join(items).replace(": ", " ") for items in (month.unpriced, month.by_use))
    left_out = [
        *([f"items without a list price ({unpriced})"] if unpriced else []),
        *([f"usage-based items ({by_use})"] if by_use else []),
    ]
    if left_out:
        yield Finding(
            at=at,
            message=f"the check of `monthly_usd` leaves out {' and '.join(left_out)}",
            hint="increase `monthly_usd` to cover these costs; `ultracluster plan` prints the list price per unit",
        )


@rule(
    "BUD005", NOTE, "the budget's tag is an active cost allocation tag",
    why="Until the tag is active, AWS does not add the tag to costs, so the budget counts 0 USD. AWS does not add the tag to "
    "earlier costs.",
    source=_TAGS, reads="budget", where="budget",
)  # fmt: skip
def tag_is_activated(design: Design) -> Iterator[Finding]:
    """Report the tag, because you must activate it once for an account or organization."""
    if design.profile.budget is not None:
        yield Finding(
            at=("budget",),
            message=f"the budget counts costs by the tag {PROFILE_TAG}, which must be an active cost allocation tag",
            hint="run once, with credentials of the payer account: `aws ce update-cost-allocation-tags-status "
            f"--cost-allocation-tags-status TagKey={PROFILE_TAG},Status=Active`",
        )


@rule(
    "BUD006", NOTE, "a budget has an alert on actual costs",
    why="AWS needs about five weeks of usage before it creates a forecast. Until then, a forecast alert does not fire.",
    source=_PRACTICE, reads="budget", where="budget",
)  # fmt: skip
def an_alert_uses_actual_costs(design: Design) -> Iterator[Finding]:
    """Check that at least one alert has `figure: actual`."""
    budget = design.profile.budget
    if budget and all(alert.figure == "forecast" for alert in budget.alerts):
        yield Finding(
            at=("budget", "alerts"),
            message="no alert fires in the first five weeks of a cluster: all alerts use the forecast, which needs five weeks of "
            "usage",
            hint="add an alert on actual costs: `{percent: 80, figure: actual, emails: [...]}`",
        )


@rule(
    "BUD007", ERROR, "CloudFormation supports AWS Budgets in the profile's Region",
    why="In some Regions, CloudFormation does not have the resource type AWS::Budgets::Budget and rejects the template.",
    source=_TYPE, reads="budget region", where="budget", ages="the Regions with AWS::Budgets::Budget in CloudFormation",
)  # fmt: skip
def region_has_budgets(design: Design) -> Iterator[Finding]:
    """Check that CloudFormation supports AWS::Budgets::Budget in the Region."""
    region = design.profile.region
    if design.profile.budget is not None and region in WITHOUT_BUDGETS:
        yield Finding(
            at=("budget",),
            message=f"CloudFormation does not support AWS::Budgets::Budget in {region}",
            hint="remove `budget`, and create a budget for the tag ultracluster:profile in the console of AWS Budgets",
        )
