"""The quota section of a plan: the service quotas that the profile needs."""

from __future__ import annotations

from config.design.report.plan import PlanReport
from config.design.report.quotas import QuotaReport
from scripts.cli.plan.document import Writer


def write_quotas(out: Writer, plan: PlanReport) -> None:
    """Write a table of quotas above their default or without a known default; other quotas in one line."""
    out.heading("quotas")
    asked = [quota for quota in plan.quotas if quota.above_default is not False]
    if asked:
        out.table(("needed", "default", "quota", "code"), [_row(quota) for quota in asked], right=(0, 1))
    within = [quota for quota in plan.quotas if quota.above_default is False]
    if within:
        texts = (
            f"{quota.service} '{quota.name}': {quota.needed:,.10g} of {quota.default:,.10g}"
            for quota in within
        )
        out.fact("within default", f"{'; '.join(texts)}")
    out.fact("", "add the usage of the account's other resources; `-` means that AWS publishes no default")


def _row(quota: QuotaReport) -> tuple[str, ...]:
    default = "-" if quota.default is None else f"{quota.default:,.10g}"
    unit = quota.unit.removesuffix("s") if quota.needed == 1 else quota.unit
    return f"{quota.needed:,.10g} {unit}", default, f"{quota.service}: {quota.name}", quota.code or "-"
