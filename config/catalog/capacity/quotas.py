"""Service quotas with their names in Service Quotas and the default values of a new account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from config.catalog.files import named, read_one


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceQuota:
    """A service quota. `default` and `code` are None if AWS does not document them.

    `name` may contain `{type}`, for a quota of each instance type. `per` is the scope: an account, a VPC or a
    cluster. The values of an account can differ from `default`, so preflight queries them.
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
    """All quotas by key; `codes_of_cluster_usage` maps each `ml.` type to the code of its HyperPod quota."""

    rows: Mapping[str, ServiceQuota]
    codes_of_cluster_usage: Mapping[str, str]


@cache
def service_quotas() -> ServiceQuotas:
    """Return all quotas; the file is read on the first call."""
    document = read_one("service-quotas")
    return ServiceQuotas(
        rows=named(ServiceQuota, document["rows"].items(), key="key"),
        codes_of_cluster_usage=document["codes_of_cluster_usage"],
    )
