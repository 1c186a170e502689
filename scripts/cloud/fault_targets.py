"""Check where faults can occur: at supported resource types, and at operations of services."""

from __future__ import annotations

from difflib import get_close_matches

from botocore.session import Session

from .faults import Fault, FaultError
from .resources.registry import modelled_types


def check_target(fault: Fault) -> None:
    """Reject an unknown type or call, because a fault that never occurs does not test the deployment."""
    if fault.type and not fault.type.startswith("Custom::") and fault.type not in modelled_types():
        raise FaultError(_unknown("type", fault.type, modelled_types()))
    if fault.call:
        _check_call(fault.call)


def _check_call(call: str) -> None:
    service, _, operation = call.partition(":")
    session = Session()
    services = session.get_available_services()
    if service not in services:
        raise FaultError(_unknown("call", call, [f"{name}:{operation}" for name in services]))
    known = session.get_service_model(service).operation_names
    if operation not in known:
        raise FaultError(_unknown("call", call, [f"{service}:{name}" for name in known]))


def _unknown(what: str, value: str, known: list[str]) -> str:
    close = get_close_matches(value, known, n=1)
    return f"{what}={value} does not exist in the embedded cloud" + (
        f": did you mean {close[0]}?" if close else ""
    )
