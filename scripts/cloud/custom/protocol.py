"""Requests that CloudFormation sends to a provider, and the responses that it accepts.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref.html

If AWS's message for a rejected response is public, it is used, with its source; other messages are ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

from scripts.cloud.template.custom_types import as_strings
from scripts.cloud.template.errors import ResourceFailedError

LONGEST_ANSWER = 4096
_LONGEST_ID = 1024
_COPIED = ("StackId", "RequestId", "LogicalResourceId")


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request to a provider. Only updates have `old_properties`; creations have no `physical_id`."""

    kind: Literal["Create", "Update", "Delete"]
    resource_type: str
    stack_id: str
    logical_id: str
    properties: Mapping[str, Any]
    physical_id: str | None = None
    old_properties: Mapping[str, Any] | None = None
    id: str = field(default_factory=lambda: str(uuid4()))

    def event(self, response_url: str) -> dict[str, Any]:
        """Return the event that the provider's function receives."""
        event: dict[str, Any] = {
            "RequestType": self.kind,
            "ServiceToken": self.properties["ServiceToken"],
            "ResponseURL": response_url,
            "StackId": self.stack_id,
            "RequestId": self.id,
            "LogicalResourceId": self.logical_id,
            "ResourceType": self.resource_type,
            "ResourceProperties": as_strings(self.properties),
        }
        if self.physical_id is not None:
            event["PhysicalResourceId"] = self.physical_id
        if self.old_properties is not None:
            event["OldResourceProperties"] = as_strings(self.old_properties)
        return event


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A provider's response. `failure` is the event's reason; None if the request succeeded."""

    physical_id: str
    data: Mapping[str, Any]
    failure: str | None = None


def read_answer(body: bytes, request: Request) -> Answer:
    """Parse a provider's response; raises ResourceFailedError if CloudFormation rejects the response."""
    # source of the text: https://github.com/binxio/cfn-mysql-user-provider/pull/1
    if len(body) > LONGEST_ANSWER:
        raise ResourceFailedError("Response object is too long.")
    response = _object(body)
    status, physical_id = response.get("Status"), response.get("PhysicalResourceId")
    if status not in ("SUCCESS", "FAILED"):
        # source of the text: https://github.com/PaloAltoNetworks/aws-elb-autoscaling/issues/23
        raise ResourceFailedError(f"Invalid Response object: '{status}' is not a valid ResponseStatus")
    if not isinstance(physical_id, str) or not 0 < len(physical_id.encode()) <= _LONGEST_ID:
        # source of the text: https://github.com/aws/aws-lambda-go/issues/107
        raise ResourceFailedError("Invalid PhysicalResourceId")
    for name, sent in zip(_COPIED, (request.stack_id, request.id, request.logical_id), strict=True):
        if response.get(name) != sent:
            raise ResourceFailedError(
                f"Invalid Response object: {name} is '{response.get(name)}' "
                "and must be copied from the request"
            )
    if "Reason" in response and not isinstance(response["Reason"], str):
        raise ResourceFailedError("Invalid Response object: Reason must be a string")
    if not isinstance(response.get("NoEcho", False), bool):
        raise ResourceFailedError("Invalid Response object: NoEcho must be true or false")
    return Answer(physical_id=physical_id, data=_data(response), failure=_failure(response, request))


def _object(body: bytes) -> dict[str, Any]:
    try:
        response = json.loads(body)
    except ValueError:
        raise ResourceFailedError("Invalid Response object: it is not JSON") from None
    if not isinstance(response, dict):
        raise ResourceFailedError("Invalid Response object: it is not a JSON object")
    return response


def _data(response: Mapping[str, Any]) -> Mapping[str, Any]:
    data = {} if response.get("Data") is None else response["Data"]
    if not isinstance(data, dict):
        raise ResourceFailedError("Invalid Response object: Data must be an object")
    return data


def _failure(response: Mapping[str, Any], request: Request) -> str | None:
    if response["Status"] == "SUCCESS":
        return None
    if not response.get("Reason"):
        raise ResourceFailedError("Invalid Response object: Reason is required if Status is FAILED")
    return (
        "Received response status [FAILED] from custom resource. "
        f"Message returned: {response['Reason']} (RequestId: {request.id})"
    )
