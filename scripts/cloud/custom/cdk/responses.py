"""Responses of the CDK's functions: the handler's result, or its exception, is sent to CloudFormation.

Based on custom-resource-handlers/dist/core/nodejs-entrypoint-handler and
custom-resources/lib/provider-framework/runtime/cfn-response of aws-cdk-lib, which behave in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import ClientError

from scripts.cloud.custom.providers import Behaviour, Call
from scripts.cloud.template.errors import ResourceFailedError

CREATE_FAILED = "AWSCDK::CustomResourceProviderFramework::CREATE_FAILED"
"""The physical id of a resource whose creation failed; a deletion of it succeeds without the handler."""
_MISSING_ID = "AWSCDK::CustomResourceProviderFramework::MISSING_PHYSICAL_ID"

Result = Mapping[str, Any]


def answering(handler: Callable[[Call], Result | None]) -> Behaviour:
    """Return a function that responds with its handler's result: `PhysicalResourceId`, `Data`, `NoEcho`."""

    def behave(call: Call) -> None:
        event = call.event
        physical_id = event.get("PhysicalResourceId")
        if event["RequestType"] == "Delete" and physical_id == CREATE_FAILED:
            submit(call, "SUCCESS", physical_id=physical_id)
            return
        try:
            result = handler(call) or {}
            made = result.get("PhysicalResourceId") or physical_id or event["RequestId"]
            _refuse_other_id(event, made)
        except ResourceFailedError:
            raise  # a limit of the embedded cloud, not of AWS
        except Exception as error:
            failed = physical_id or (CREATE_FAILED if event["RequestType"] == "Create" else _MISSING_ID)
            submit(call, "FAILED", reason=reason_of(error), physical_id=failed)
            return
        submit(call, "SUCCESS", physical_id=made, data=result.get("Data"), no_echo=result.get("NoEcho"))

    return behave


def _refuse_other_id(event: Mapping[str, Any], physical_id: Any) -> None:
    if event["RequestType"] == "Delete" and physical_id != event["PhysicalResourceId"]:
        raise ValueError(
            f'DELETE: cannot change the physical resource ID from "{event["PhysicalResourceId"]}" '
            f'to "{physical_id}" during deletion'
        )


def reason_of(error: Exception) -> str:
    """Return an error in the form of Node.js: its name and its message."""
    if isinstance(error, ClientError):
        return f"{error.response['Error']['Code']}: {error.response['Error']['Message']}"
    return f"Error: {error}"


def submit(
    call: Call,
    status: str,
    *,
    physical_id: Any,
    reason: str | None = None,
    data: Any = None,
    no_echo: Any = None,
) -> None:
    """Send a response; values that are None are left out, as JSON in Node.js leaves out undefined values."""
    response = {
        "Status": status,
        "Reason": reason or status,
        **{name: call.event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
        "PhysicalResourceId": physical_id,
        "NoEcho": no_echo,
        "Data": data,
    }
    present = {name: value for name, value in response.items() if value is not None}
    call.reply.deliver(json.dumps(present, separators=(",", ":"), default=str).encode())
