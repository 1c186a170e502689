"""The service quotas that a profile needs, as a plan shows them."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.model import Design
from config.design.report.quota_needs import QuotaNeed, quotas_of
from config.records import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaReport:
    """One quota: what the profile needs of it, and what a new account has.

    `service` and `code` are those of Service Quotas; `code`, `default` and `above_default` are None where no
    source states the default or the code. Those above their default come first, then those of none.
    """

    service: str
    name: str
    code: str | None
    needed: float
    unit: str
    default: float | None
    above_default: bool | None
    per: str
    because: str
    source: str


def quotas_report(design: Design) -> tuple[QuotaReport, ...]:
    """Every quota that the profile takes something of, the most urgent first."""
    ranks = {True: 0, None: 1, False: 2}
    needs = sorted(quotas_of(design), key=lambda need: ranks[need.above_default])
    return tuple(_report(need) for need in needs)


def _report(need: QuotaNeed) -> QuotaReport:
    return copied(QuotaReport, need, service=need.service_code)
