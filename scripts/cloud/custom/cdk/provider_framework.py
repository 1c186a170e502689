"""Model of the provider framework (`custom_resources.Provider`), which calls the user's functions.

Based on custom-resources/lib/provider-framework/runtime/framework of aws-cdk-lib. The framework waits in a
state machine, whose definition sets the intervals between calls. These intervals pass on the request's
simulated clock.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scripts.cloud.custom.invocation import FunctionError
from scripts.cloud.custom.providers import Behaviour, Call, Identity

from .responses import Result, answering

IDENTITY = Identity(
    runtime="nodejs",
    handler="framework.onEvent",
    description="AWS CDK resource provider framework - onEvent",
)
_ON_EVENT, _IS_COMPLETE = "USER_ON_EVENT_FUNCTION_ARN", "USER_IS_COMPLETE_FUNCTION_ARN"
_WAITER = "WAITER_STATE_MACHINE_ARN"


def _on_event(call: Call) -> Result | None:
    variables = call.function.variables
    result = _called(call, variables[_ON_EVENT], call.event)
    if _IS_COMPLETE not in variables:
        return result
    event = call.event
    physical_id = result.get("PhysicalResourceId") or event.get("PhysicalResourceId") or event["RequestId"]
    pending = {**event, **result, "PhysicalResourceId": physical_id}
    waits_s = _waits_s(call, variables[_WAITER])
    return _completed(call, variables[_IS_COMPLETE], pending, waits_s)


def _called(call: Call, arn: str, event: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        result = call.invoke(arn, event)
    except FunctionError as error:
        raise FunctionError(f"{error}\n\nLogs: /aws/lambda/{arn.split(':')[-1]}\n") from error
    return result if isinstance(result, dict) else {}


def _completed(call: Call, arn: str, pending: dict[str, Any], waits_s: Iterator[float]) -> Result:
    while True:
        outcome = _called(call, arn, pending)
        data = outcome.get("Data") or {}
        if outcome.get("IsComplete"):
            return {**pending, **outcome, "Data": {**(pending.get("Data") or {}), **data}}
        if data:
            raise ValueError('"Data" is not allowed if "IsComplete" is "False"')
        wait_s = next(waits_s, None)
        if wait_s is None:
            raise TimeoutError("Operation timed out")
        call.clock.advance(wait_s)


def _waits_s(call: Call, machine: str) -> Iterator[float]:
    """Yield the seconds before each retry, from the state machine's definition."""
    states = call.environment.client("stepfunctions")
    definition = json.loads(states.describe_state_machine(stateMachineArn=machine)["definition"])
    (retry,) = definition["States"][definition["StartAt"]]["Retry"]
    for attempt in range(retry["MaxAttempts"]):
        yield retry["IntervalSeconds"] * retry["BackoffRate"] ** attempt


BEHAVIOUR: Behaviour = answering(_on_event)
