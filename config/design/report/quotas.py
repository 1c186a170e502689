"""The service quotas that a profile needs, as a plan shows them."""

from __future__ import annotations

from dataclasses import dataclass


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
