"""Call a resource model with injected faults, retries of throttled calls, and simulated durations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from botocore.exceptions import ClientError

from config.catalog.durations import Action, duration_s
from scripts.cloud.faults import Faults, InjectedError

Made = TypeVar("Made")
# CloudFormation retries a throttled call with growing delays; the number of retries is not published
ATTEMPTS = 5
FIRST_PAUSE_S = 5.0
THROTTLED = frozenset(
    {
        "RequestLimitExceeded",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)


def attempt(
    faults: Faults, resource_type: str, logical_id: str, action: Action, call: Callable[[], Made]
) -> tuple[Made, float]:
    """Return the result of the call, and its duration in simulated seconds."""
    paused_s = 0.0
    for number in range(ATTEMPTS):
        try:
            slower_s = _strike(faults, resource_type, logical_id, action)
            return call(), paused_s + slower_s + duration_s(resource_type, action)
        except (InjectedError, ClientError) as error:
            if not _is_throttled(error) or number == ATTEMPTS - 1:
                if isinstance(error, InjectedError):
                    error.after_s += paused_s
                raise
            paused_s += FIRST_PAUSE_S * 2**number
    raise AssertionError("unreachable: the last attempt returns or raises")


def _strike(faults: Faults, resource_type: str, logical_id: str, action: Action) -> float:
    """Return the seconds by which a fault delays the action; raises InjectedError for other faults."""
    fault = faults.at_resource(resource_type, logical_id, action)
    if fault is None:
        return 0.0
    if fault.kind == "slow":
        return fault.seconds
    error = InjectedError(fault)
    if fault.kind == "capacity" and not fault.seconds:
        # the capacity is missing at the time when the instances should be available
        error.after_s = duration_s(resource_type, action)
    raise error


def _is_throttled(error: InjectedError | ClientError) -> bool:
    code = error.fault.code if isinstance(error, InjectedError) else error.response["Error"]["Code"]
    return code in THROTTLED
