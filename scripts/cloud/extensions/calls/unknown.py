"""An operation that moto lacks: refused in the service's own protocol, not with a page of HTML."""

from __future__ import annotations

import json
from typing import Any

from moto.cloudtrail.responses import CloudTrailResponse
from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult, BaseResponse

from scripts.cloud.extensions.patch import adds

_call_action = BaseResponse.call_action


class UnsupportedOperationError(ServiceException):
    """The embedded cloud has no such operation."""

    code = "UnsupportedOperation"


@adds(BaseResponse, "call_action")
def _call(self: BaseResponse) -> Any:
    try:
        return _call_action(self)
    except NotImplementedError as error:
        return self.serialized(ActionResult(UnsupportedOperationError(f"{error} in the embedded cloud")))


@adds(CloudTrailResponse, "lookup_events")
def _no_events(self: CloudTrailResponse) -> str:
    """The CDK CLI asks CloudTrail for the cause of a failure: the stack's events have it already."""
    return json.dumps({"Events": []})
