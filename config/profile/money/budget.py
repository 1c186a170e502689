"""Profile model of the monthly budget and its alerts."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import EMAIL, TOPIC_ARN, Model, Sequence

Emails = Annotated[
    Sequence[Annotated[str, Field(pattern=EMAIL, max_length=254)]],
    Field(max_length=10, description="Email addresses to notify. AWS Budgets sends the emails."),
]


class BudgetAlert(Model):
    """A threshold of the budget and its subscribers."""

    percent: Annotated[int, Field(ge=1, le=1000, description="Threshold in percent of the monthly budget.")]
    figure: Annotated[
        Literal["actual", "forecast"],
        Field(
            description="`actual`: costs so far in the month. `forecast`: the costs that AWS forecasts for the whole month."
        ),
    ] = "actual"
    emails: Emails = ()
    topic_arn: Annotated[
        str | None,
        Field(
            pattern=TOPIC_ARN,
            description="ARN of an SNS topic to notify. Its policy must allow budgets.amazonaws.com to publish.",
        ),
    ] = None


class Budget(Model):
    """An AWS Budgets budget for all resources with the profile's tag."""

    monthly_usd: Annotated[float, Field(ge=1, le=1_000_000_000, description="Monthly budget in US dollars.")]
    alerts: Annotated[
        Sequence[BudgetAlert],
        Field(min_length=1, max_length=10, description="Alerts: thresholds and their subscribers."),
    ]
