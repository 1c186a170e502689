"""Service quotas by the names that Service Quotas has for them, with what a new account has of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from config.catalog.files import named, read_one


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceQuota:
    """One quota. `default` is None where no source states it, `code` where none states that.

    `name` may hold `{type}`: there is one such quota for each instance type. `per` is what it counts in: an
    account, a VPC, a cluster. Defaults age, and those of an account are its own: ask the account.
    """

    key: str
    service: str
    name: str
    code: str | None
    default: float | None
    unit: str
    per: str
    adjustable: bool
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceQuotas:
    """All quotas by key; `codes_of_cluster_usage` has the code of HyperPod's quota of an ml. type."""

    rows: Mapping[str, ServiceQuota]
    codes_of_cluster_usage: Mapping[str, str]


@cache
def service_quotas() -> ServiceQuotas:
    """All quotas, read on the first call."""
    document = read_one("service-quotas")
    return ServiceQuotas(
        rows=named(ServiceQuota, document["rows"].items(), key="key"),
        codes_of_cluster_usage=document["codes_of_cluster_usage"],
    )
