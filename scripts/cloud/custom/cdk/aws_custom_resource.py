"""Custom::AWS (`custom_resources.AwsCustomResource`): one API call for each event type.

Based on custom-resource-handlers/dist/custom-resources/aws-custom-resource-handler of aws-cdk-lib.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from scripts.cloud.custom.invocation import lambda_context
from scripts.cloud.custom.providers import Call, Identity

from .responses import submit
from .sdk import flattened, operation, parameters

# the CDK uses this function name in every stack; the resource type is a default that a user can change
IDENTITIES = (
    Identity(runtime="nodejs", handler="index.handler", name="AWS679f53fac002430cb0da5b7982bd2287"),
    Identity(runtime="nodejs", handler="index.handler", resource_type="Custom::AWS"),
)
_FAILURES = (ClientError, BotoCoreError, LookupError, ValueError)


def behave(call: Call) -> None:
    """Run the API call that is configured for the event type, if any, and respond with its result."""
    try:
        calls = {name: _call(call.event, name) for name in ("Create", "Update", "Delete")}
        physical_id, data = _made(call, calls[call.event["RequestType"]], _first_id(call, calls))
    except _FAILURES as error:
        # the id is the log stream, not the resource's id: https://github.com/aws/aws-cdk/issues/13527
        other = lambda_context(call.function, call.clock).log_stream_name
        submit(call, "FAILED", reason=_message(error), physical_id=other, data={}, no_echo=False)
    else:
        submit(call, "SUCCESS", reason="OK", physical_id=physical_id, data=data, no_echo=False)


def _call(event: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    text = event["ResourceProperties"].get(kind)
    found: dict[str, Any] | None = json.loads(text) if text else None
    return found


def _first_id(call: Call, calls: Mapping[str, dict[str, Any] | None]) -> str:
    kind = call.event["RequestType"]
    order = ("Create", "Update", "Delete") if kind == "Create" else (kind,)
    ids = [((calls[name] or {}).get("physicalResourceId") or {}).get("id") for name in order]
    fallback = call.event["LogicalResourceId" if kind == "Create" else "PhysicalResourceId"]
    return next((str(found) for found in ids if found is not None), fallback)


def _made(call: Call, wanted: dict[str, Any] | None, physical_id: str) -> tuple[Any, dict[str, Any]]:
    if wanted is None:
        return physical_id, {}
    if wanted.get("assumedRoleArn"):
        raise ValueError("the embedded cloud does not support SDK calls with another role (assumedRoleArn)")
    region = wanted.get("region") or call.environment.region
    client, method, shape = operation(call.environment, region, wanted["service"], wanted["action"])
    arguments = parameters(wanted.get("parameters") or {}, shape, physical_id)
    try:
        response = {"region": region, **flattened(getattr(client, method)(**arguments))}
    except ClientError as error:
        ignored = wanted.get("ignoreErrorCodesMatching")
        if not ignored or not re.search(ignored, error.response["Error"]["Code"]):
            raise
        response = {}
    path = (wanted.get("physicalResourceId") or {}).get("responsePath")
    return (response.get(path) if path else physical_id), _wanted(wanted, response)


def _wanted(wanted: Mapping[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the response that the output paths select; without output paths, all of it."""
    paths = [wanted["outputPath"]] if wanted.get("outputPath") else wanted.get("outputPaths")
    if paths is None:
        return response
    return {name: value for name, value in response.items() if name.startswith(tuple(paths))}


def _message(error: Exception) -> str:
    return str(error.response["Error"]["Message"]) if isinstance(error, ClientError) else str(error)
