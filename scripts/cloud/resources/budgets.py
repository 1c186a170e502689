"""The resource type of AWS Budgets."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .api import ApiModel
from .base import Context, Created, Existing, Properties, only


class Budget(ApiModel):
    """A budget with its notifications."""

    type = "AWS::Budgets::Budget"
    service, noun = "budgets", "budget"
    key = ("AccountId:AccountId", "BudgetName")
    ref = "{Budget[BudgetName]}"

    def create(self, context: Context, properties: Properties) -> Created:
        budget = {"BudgetName": context.generated_name(100), **properties["Budget"]}
        return super().create(context, {**properties, "Budget": budget})

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        """Convert the amount to text: CloudFormation accepts a number, the API a string."""
        limit = new["Budget"].get("BudgetLimit")
        as_text = {"BudgetLimit": limit | {"Amount": str(limit["Amount"])}} if limit else {}
        budget = {**new["Budget"], **as_text}
        return {**new, "Budget": budget, "NewBudget": budget}

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties | Created:
        budget = {**properties["Budget"], "BudgetName": existing.physical_id}
        return super().update(context, existing, {**properties, "Budget": budget})

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        return {"Budget": only(record, "BudgetLimit", "BudgetType", "TimeUnit", "CostFilters")}
