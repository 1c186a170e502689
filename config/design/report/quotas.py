"""The service quotas that a profile needs, as a plan shows them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaReport:
    """One service quota: the amount that the profile needs, and the default of a new account.

    `service` and `code` are those of Service Quotas. `code`, `default` and `above_default` are None if no
    source lists them.
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
