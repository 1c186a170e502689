"""Checks of quotas: each quota that the profile needs, compared with the account's value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from config.design.report.quota_needs import quotas_of
from config.design.report.quotas import QuotaReport
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask, MissingError, UnansweredError
from scripts.cli.preflight.checks import Check, Permission, Verdict, check, needs, wrong
from scripts.cli.preflight.place import Place

_PARTS = {
    "fsx": "storage",
    "vpc": "network",
    "s3": "storage",
    "aps": "observability",
    "grafana": "observability",
}


def checks(place: Place) -> Iterator[Check]:
    """Yield one check for each quota."""
    for need in quotas_of(place.design):
        yield check("Quotas", f"{need.service}: {need.name}", _permissions(need), _quota, place, need)


def _permissions(need: QuotaReport) -> tuple[Permission, ...]:
    if need.code is None:
        return needs("servicequotas:ListServiceQuotas")
    return needs("servicequotas:GetServiceQuota") + needs("servicequotas:GetAWSDefaultServiceQuota")


def _quota(place: Place, need: QuotaReport, ask: Ask) -> Verdict:
    answer = _applied(need, ask)
    value = float(answer["Value"])
    has, wants = f"{value:,.10g}", f"{need.needed:,.10g}"
    if value >= need.needed:
        return Verdict(f"{has}, {wants} needed")
    code = answer.get("QuotaCode") or need.code or "CODE"
    message = (
        f"the quota '{need.name}' ({need.service}) is {has} {need.unit}, but the profile needs {wants}: "
        f"{need.because}"
    )
    hint = (
        f"run `aws service-quotas request-service-quota-increase --region {place.region} --service-code "
        f"{need.service} --quota-code {code} --desired-value {need.needed:.10g}`"
        if answer.get("Adjustable", True)
        else "reduce the number in the profile, because AWS does not increase this quota"
    )
    return wrong(f"{has}, {wants} needed", codes.QUOTA, (_PARTS.get(need.service, "compute"),), message, hint)


def _applied(need: QuotaReport, ask: Ask) -> Mapping[str, Any]:
    """Return the account's quota, or the AWS default if the account has none."""
    if need.code is None:
        listed: list[Mapping[str, Any]] = []
        with suppress(MissingError):  # the service has no quotas in this Region
            listed = ask("service-quotas", "ListServiceQuotas", ServiceCode=need.service)["Quotas"]
        here = next((one for one in listed if one.get("QuotaName") == need.name), None)
        if here is None:
            raise UnansweredError(f"{need.service} has no quota with this name")
        return _of(here)
    which = {"ServiceCode": need.service, "QuotaCode": need.code}
    for operation in ("GetServiceQuota", "GetAWSDefaultServiceQuota"):
        with suppress(MissingError):
            return _of(ask("service-quotas", operation, **which)["Quota"])
    raise UnansweredError("Service Quotas does not have this quota in the Region")


def _of(quota: Mapping[str, Any]) -> Mapping[str, Any]:
    if "Value" not in quota:
        reason = quota.get("ErrorReason", {}).get("ErrorCode", "no value")
        raise UnansweredError(f"Service Quotas returns no value: {reason}")
    return quota
