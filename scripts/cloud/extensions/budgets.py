"""UpdateBudget, which moto's Budgets service lacks."""

from __future__ import annotations

from moto.budgets.exceptions import NotFoundException
from moto.budgets.responses import BudgetsResponse
from moto.core.responses import EmptyResult
from moto.core.utils import unix_time

from .patch import adds
from .records import parsed


@adds(BudgetsResponse, "update_budget")
def _update_budget(self: BudgetsResponse) -> EmptyResult:
    request = parsed(self)
    name = request["NewBudget"]["BudgetName"]
    found = self.backend.budgets[request["AccountId"]].get(name)
    if found is None:
        raise NotFoundException(f"Unable to get budget: {name} - the budget doesn't exist.")
    found.budget = {**found.budget, **self._get_param("NewBudget"), "LastUpdatedTime": unix_time()}
    return EmptyResult()
