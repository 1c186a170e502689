"""Fault injection into API calls: errors and delays, for all clients."""

from __future__ import annotations

import time
from typing import Any

from moto.core import errors
from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult, BaseResponse
from moto.s3.exceptions import S3ClientError

from scripts.cloud.extensions.patch import add
from scripts.cloud.faults import CODES, Fault, Faults

_ACTIVE: list[Faults] = [Faults()]


def use(faults: Faults) -> None:
    """Set the active faults."""
    _ACTIVE[0] = faults


class _FaultError(ServiceException):
    """An injected error of a service."""

    def __init__(self, fault: Fault) -> None:
        self.code = fault.code
        super().__init__(fault.text)


def _struck(response: BaseResponse) -> Fault | None:
    """Return the failure to inject into this call, or None; a fault `slow` only delays the call."""
    faults = _ACTIVE[0]
    if not faults.any_calls:
        return None
    fault = faults.at_call(f"{response.boto3_service_name}:{response._get_action()}")
    if fault is not None and fault.kind == "slow":
        time.sleep(fault.seconds)
        return None
    return fault


def install() -> None:
    """Check for a fault before every call.

    moto dispatches S3 calls separately; for them, the check is part of the authorization.
    """
    # errors that any service can return, although its own model does not list them
    known = set(errors.COMMON_ERROR_CODES)
    errors.COMMON_ERROR_CODES.extend(sorted(CODES - known))
    call_action = BaseResponse.call_action
    authorize = BaseResponse._authenticate_and_authorize_s3_action

    def call(self: BaseResponse) -> Any:
        fault = _struck(self)
        if fault is not None:
            return self.serialized(ActionResult(_FaultError(fault)))
        return call_action(self)

    def authorize_s3(self: BaseResponse, *arguments: Any, **named: Any) -> None:
        fault = _struck(self)
        if fault is not None:
            raise S3ClientError(fault.code, fault.text)
        authorize(self, *arguments, **named)

    add(BaseResponse, call_action=call, _authenticate_and_authorize_s3_action=authorize_s3)
