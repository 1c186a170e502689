"""Reject operations that moto lacks with an error in the service's protocol, not with an HTML page."""

from __future__ import annotations

import json
from typing import Any

from moto.cloudtrail.responses import CloudTrailResponse
from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult, BaseResponse

from scripts.cloud.extensions.patch import adds

_call_action = BaseResponse.call_action


class UnsupportedOperationError(ServiceException):
    """The embedded cloud does not have the operation."""

    code = "UnsupportedOperation"


@adds(BaseResponse, "call_action")
def _call(self: BaseResponse) -> Any:
    try:
        return _call_action(self)
    except NotImplementedError as error:
        return self.serialized(ActionResult(UnsupportedOperationError(f"{error} in the embedded cloud")))


@adds(CloudTrailResponse, "lookup_events")
def _no_events(self: CloudTrailResponse) -> str:
    """Return no events; the CDK CLI then uses the cause of a failure in the stack events."""
    return json.dumps({"Events": []})
