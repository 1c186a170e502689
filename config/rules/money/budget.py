"""A budget that AWS Budgets takes, and that says something of this cluster."""

from __future__ import annotations

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
"""Regions whose CloudFormation has no AWS::Budgets::Budget, by the resource specifications in cfn-lint 1.58."""

_COSTS = "budget compute orchestrator region network storage observability calendar images data"
"""What the price of a cluster follows from."""


@rule(
    "BUD001", ERROR, "every alert of a budget tells somebody",
    why="AWS Budgets refuses a notification without a subscriber, and the stack is rolled back.",
    source=_NOTICES, reads="budget", where="budget",
)  # fmt: skip
def alerts_tell_somebody(design: Design) -> Iterator[Finding]:
    """`emails` and `topic_arn` of alerts."""
    budget = design.profile.budget
    for i, alert in enumerate(budget.alerts if budget else ()):
        if not alert.emails and alert.topic_arn is None:
            yield Finding(
                at=("budget", "alerts", i),
                message=f"nobody is told of {alert.percent} % ({alert.figure})",
                hint="add `emails: [ml-ops@example.com]` or `topic_arn:`",
            )


@rule(
    "BUD002", ERROR, "no two alerts of a budget are the same",
    why="AWS Budgets refuses a second notification of one kind and share, and the stack is rolled back.",
    source=_NOTICES, reads="budget", where="budget",
)  # fmt: skip
def alerts_differ(design: Design) -> Iterator[Finding]:
    """`percent` and `figure` of alerts."""
    budget = design.profile.budget
    seen: set[tuple[int, str]] = set()
    for i, alert in enumerate(budget.alerts if budget else ()):
        if (alert.percent, alert.figure) in seen:
            yield Finding(
                at=("budget", "alerts", i, "percent"),
                message=f"{alert.percent} % ({alert.figure}) stands twice",
                hint="put all `emails` into one alert",
            )
        seen.add((alert.percent, alert.figure))


@rule(
    "BUD003", WARNING, "a budget is not below what the cluster costs by the listed prices",
    why="An alert that comes in every month, by machines that are wanted, is not read any more.",
    source="docs/money.md", reads=_COSTS, where="budget",
)  # fmt: skip
def budget_covers_the_machines(design: Design) -> Iterator[Finding]:
    """`monthly_usd` against 730 hours of what is billed by the hour."""
    budget = design.profile.budget
    if budget is None:
        return
    month = month_of(design)
    if month.usd > budget.monthly_usd:
        yield Finding(
            at=("budget", "monthly_usd"),
            message=f"{HOURS_A_MONTH} hours of the cluster are {month.usd:,.0f} USD by the listed prices, the budget is "
            f"{budget.monthly_usd:,.0f} USD",
            hint=f"write {month.usd:,.0f} or more without the commas, or fewer machines; a machine that does not run all "
            "month costs less: waive BUD003 then",
        )


@rule(
    "BUD004", NOTE, "what a budget does not know is known to whoever reads it",
    why="Without it a budget looks as if it covered everything.",
    source="docs/money.md", reads=_COSTS, where="budget",
)  # fmt: skip
def budget_says_what_it_leaves_out(design: Design) -> Iterator[Finding]:
    """What has no listed price, and what was paid in advance."""
    if design.profile.budget is None:
        return
    month = month_of(design)
    at = ("budget", "monthly_usd")
    if month.paid_in_advance:
        named = " and ".join(month.paid_in_advance)
        yield Finding(
            at=at,
            message=f"machines of {named} are paid in advance: their price is in no month's costs of this profile",
            hint="budget the block or the plan where it is bought",
        )
    left_out = [
        *([f"no price is listed for {', '.join(month.unpriced)}"] if month.unpriced else []),
        *([f"their use decides what {', '.join(month.by_use)} cost"] if month.by_use else []),
    ]
    if left_out:
        yield Finding(
            at=at,
            message=f"{', and '.join(left_out)}: the budget was compared without",
            hint="leave room for it in `monthly_usd`; `ultracluster plan` has the price of each unit that is listed",
        )


@rule(
    "BUD005", NOTE, "the tag that a budget counts by is active in billing",
    why="Until it is, no cost has the tag, and the budget stays at 0; costs of earlier days do not get it.",
    source=_TAGS, reads="budget", where="budget",
)  # fmt: skip
def tag_is_activated(design: Design) -> Iterator[Finding]:
    """Once for an account or its organization."""
    if design.profile.budget is not None:
        yield Finding(
            at=("budget",),
            message=f"costs are counted by the tag {PROFILE_TAG}, once billing knows it",
            hint="once, with the credentials of the account that pays: `aws ce update-cost-allocation-tags-status "
            f"--cost-allocation-tags-status TagKey={PROFILE_TAG},Status=Active`",
        )


@rule(
    "BUD006", NOTE, "a forecast has costs to be made of",
    why="AWS needs about five weeks of usage before it forecasts: until then such an alert is silent.",
    source=_PRACTICE, reads="budget", where="budget",
)  # fmt: skip
def forecasts_have_a_past(design: Design) -> Iterator[Finding]:
    """Alerts whose `figure` is `forecast` where none is `actual`."""
    budget = design.profile.budget
    if budget and all(alert.figure == "forecast" for alert in budget.alerts):
        yield Finding(
            at=("budget", "alerts"),
            message="every alert is of the forecast, which there is none of in a cluster's first five weeks",
            hint="add one of what was spent: `{percent: 80, figure: actual, emails: [...]}`",
        )


@rule(
    "BUD007", ERROR, "CloudFormation has budgets in the profile's Region",
    why="The type does not exist there, and the deployment fails before it begins.",
    source=_TYPE, reads="budget region", where="budget", ages="where CloudFormation has AWS::Budgets::Budget",
)  # fmt: skip
def region_has_budgets(design: Design) -> Iterator[Finding]:
    """The Region against those without the type."""
    region = design.profile.region
    if design.profile.budget is not None and region in WITHOUT_BUDGETS:
        yield Finding(
            at=("budget",),
            message=f"CloudFormation has no AWS::Budgets::Budget in {region}",
            hint="take `budget` out here, and make a budget of the same tag from another Region: `cost` is global",
        )
