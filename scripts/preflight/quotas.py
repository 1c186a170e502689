"""What is asked of Service Quotas: each quota that the profile needs, against what the account has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, Protocol

from config.design.model import Design
from config.rules.preflight import codes
from scripts.preflight.asking import Ask, MissingError, UnansweredError
from scripts.preflight.checks import Check, Found, Verdict, needs
from scripts.preflight.place import Place

_PARTS = {
    "fsx": "storage",
    "vpc": "network",
    "s3": "storage",
    "aps": "observability",
    "grafana": "observability",
}
_MODULE = "config.design.quotas"


class Need(Protocol):
    """A quota, and what the profile needs of it; `code` is None where only its name is known."""

    @property
    def service_code(self) -> str | None:
        """The service, as Service Quotas calls it; None where no source says."""

    @property
    def name(self) -> str:
        """The quota's name."""

    @property
    def code(self) -> str | None:
        """The quota's code: L-417A185B."""

    @property
    def needed(self) -> float:
        """What the profile needs, in `unit`."""

    @property
    def unit(self) -> str:
        """What is counted."""

    @property
    def because(self) -> str:
        """What in the profile needs it."""


def needs_of(design: Design) -> tuple[Need, ...] | None:
    """The quotas that a design needs; None where nothing works them out."""
    try:
        module = import_module(_MODULE)
    except ModuleNotFoundError as error:
        if error.name != _MODULE:
            raise
        return None
    found: tuple[Need, ...] = module.quotas_of(design)
    return found


def checks(place: Place) -> Iterator[Check]:
    """One check for each quota."""
    wanted = needs_of(place.design)
    if wanted is None:
        yield Check(service="Quotas", subject="quotas", permissions=(), judge=_nobody_knows)
        return
    for need in wanted:
        yield Check(
            service="Quotas",
            subject=f"{need.service_code}: {need.name}" if need.service_code else need.name,
            permissions=tuple(needs(f"servicequotas:{action}") for action in _actions(need)),
            judge=partial(_quota, place, need),
        )


def _actions(need: Need) -> tuple[str, ...]:
    if need.service_code is None:
        return ()
    return ("GetServiceQuota", "GetAWSDefaultServiceQuota") if need.code else ("ListServiceQuotas",)


def _nobody_knows(ask: Ask) -> Verdict:
    raise UnansweredError("what the profile needs of quotas is not worked out")


def _quota(place: Place, need: Need, ask: Ask) -> Verdict:
    told = _applied(need, ask)
    value = float(told["Value"])
    has, wants = f"{value:,.10g}", f"{need.needed:,.10g}"
    if value >= need.needed:
        return Verdict(f"{has}, {wants} needed")
    code = told.get("QuotaCode") or need.code or "CODE"
    raised = (
        "" if told.get("Adjustable", True) else "; AWS does not raise it, so lower what the profile needs"
    )
    found = Found(
        code=codes.QUOTA, at=(_PARTS.get(str(need.service_code), "compute"),),
        message=f"{need.name} ({need.service_code}) is {has} {need.unit}, the profile needs {wants}: {need.because}",
        hint=f"`aws service-quotas request-service-quota-increase --region {place.region} --service-code "
        f"{need.service_code} --quota-code {code} --desired-value {need.needed:.10g}`{raised}",
    )  # fmt: skip
    return Verdict(f"{has}, {wants} needed", (found,))


def _applied(need: Need, ask: Ask) -> Mapping[str, Any]:
    """The quota that holds for the account: its own, or AWS's default where it has none."""
    if need.service_code is None:
        raise UnansweredError("no source says what Service Quotas calls it")
    if need.code is None:
        listed: list[Mapping[str, Any]] = []
        with suppress(MissingError):  # of a service that has none in this Region
            listed = ask("service-quotas", "ListServiceQuotas", ServiceCode=need.service_code)["Quotas"]
        here = next((one for one in listed if one.get("QuotaName") == need.name), None)
        if here is None:
            raise UnansweredError(f"{need.service_code} lists no quota of this name")
        return _of(here)
    which = {"ServiceCode": need.service_code, "QuotaCode": need.code}
    for operation in ("GetServiceQuota", "GetAWSDefaultServiceQuota"):
        with suppress(MissingError):
            return _of(ask("service-quotas", operation, **which)["Quota"])
    raise UnansweredError("Service Quotas has no such quota here")


def _of(quota: Mapping[str, Any]) -> Mapping[str, Any]:
    if "Value" not in quota:
        reason = quota.get("ErrorReason", {}).get("ErrorCode", "no value")
        raise UnansweredError(f"Service Quotas tells no figure: {reason}")
    return quota
