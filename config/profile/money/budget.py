"""What a cluster may cost in a month, and who is told when it does."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import EMAIL, TOPIC_ARN, Model, Sequence

Emails = Annotated[
    Sequence[Annotated[str, Field(pattern=EMAIL, max_length=254)]],
    Field(max_length=10, description="Addresses that are told; AWS Budgets mails them itself."),
]


class BudgetAlert(Model):
    """One share of the budget, and who is told when it is used up."""

    percent: Annotated[int, Field(ge=1, le=1000, description="Share of the month's budget, in per cent.")]
    figure: Annotated[
        Literal["actual", "forecast"],
        Field(description="actual: what was spent; forecast: what AWS expects of the whole month."),
    ] = "actual"
    emails: Emails = ()
    topic_arn: Annotated[
        str | None,
        Field(
            pattern=TOPIC_ARN,
            description="Topic of SNS that is told too; its policy lets budgets.amazonaws.com publish.",
        ),
    ] = None


class Budget(Model):
    """A budget of AWS Budgets for everything that has the profile's tag."""

    monthly_usd: Annotated[
        float, Field(ge=1, le=1_000_000_000, description="What a month may cost, in US dollars.")
    ]
    alerts: Annotated[
        Sequence[BudgetAlert], Field(min_length=1, max_length=10, description="Who is told, and when.")
    ]
