"""Budgets."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from typing import Any

from .base import Context, Created, Existing, Model, Properties, found, known, only


class Budget(Model):
    """A budget, and who is told when it is used up."""

    type = "AWS::Budgets::Budget"

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties["Budget"].get("BudgetName") or context.generated_name(100)
        context.client("budgets").create_budget(
            AccountId=context.account_id,
            Budget=_budget(properties, name),
            **only(properties, "NotificationsWithSubscribers"),
        )
        return Created(name, {"Id": name})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        budget = _budget(properties, existing.physical_id)
        context.client("budgets").update_budget(AccountId=context.account_id, NewBudget=budget)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        names = {"AccountId": context.account_id, "BudgetName": existing.physical_id}
        context.client("budgets").delete_budget(**names)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        names = {"AccountId": context.account_id, "BudgetName": existing.physical_id}
        answer = found(context.client("budgets").describe_budget, **names)
        if answer is None:
            return None
        told = only(answer["Budget"], "BudgetLimit", "BudgetType", "TimeUnit", "CostFilters")
        return {"Budget": known(**told)}


def _budget(properties: Properties, name: str) -> dict[str, Any]:
    """CloudFormation takes the amount as a number, the API as a text."""
    budget = {**properties["Budget"], "BudgetName": name}
    if "BudgetLimit" in budget:
        limit = budget["BudgetLimit"]
        budget["BudgetLimit"] = {"Amount": str(limit["Amount"]), "Unit": limit["Unit"]}
    return budget


MODELS = (Budget(),)
