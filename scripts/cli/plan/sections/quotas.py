"""How a plan tells the service quotas that an account needs."""

from __future__ import annotations

from config.design.report.plan import PlanReport
from config.design.report.quotas import QuotaReport
from scripts.cli.plan.document import Writer


def write_quotas(out: Writer, plan: PlanReport) -> None:
    """The quotas above their default and those without a known one in a table, the others in a line."""
    out.heading("quotas")
    asked = [quota for quota in plan.quotas if quota.above_default is not False]
    if asked:
        out.table(("needs", "default", "quota", "code"), [_row(quota) for quota in asked], right=(0, 1))
    within = [quota for quota in plan.quotas if quota.above_default is False]
    if within:
        told = (
            f"{quota.service} {quota.name} {quota.needed:,.10g} of {quota.default:,.10g}" for quota in within
        )
        out.fact("within", f"{'; '.join(told)}")
    out.fact("", "what others in the account use comes on top; `-`: no source states it")


def _row(quota: QuotaReport) -> tuple[str, ...]:
    default = "-" if quota.default is None else f"{quota.default:,.10g}"
    return f"{quota.needed:,.10g} {quota.unit}", default, f"{quota.service}: {quota.name}", quota.code or "-"
