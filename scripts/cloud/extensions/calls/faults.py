"""API calls that fail or are slow on purpose, whoever makes them."""

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
    """From now on these strike."""
    _ACTIVE[0] = faults


class _FaultError(ServiceException):
    """The service's error, on purpose."""

    def __init__(self, fault: Fault) -> None:
        self.code = fault.code
        super().__init__(fault.text)


def _struck(response: BaseResponse) -> Fault | None:
    """The fault that this call meets; one that is only slow has passed when this returns."""
    faults = _ACTIVE[0]
    if not faults.any_calls:
        return None
    fault = faults.at_call(f"{response.boto3_service_name}:{response._get_action()}")
    if fault is not None and fault.kind == "slow":
        time.sleep(fault.seconds)
        return None
    return fault


def install() -> None:
    """Ask before every call; S3, which moto dispatches by itself, asks when it authorizes."""
    # errors that any service may give, though its own model does not list them
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
