"""CloudWatch composite alarms, which moto can list but cannot create."""

from __future__ import annotations

import re

from moto.cloudwatch.responses import CloudWatchResponse
from moto.core.responses import EmptyResult

from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import RefusedError, parsed

_NAMED = re.compile(r"""(?:ALARM|OK|INSUFFICIENT_DATA)\(\s*["']?([^"')]+)["']?\s*\)""")
_SUPPRESSION = ("ActionsSuppressor", "ActionsSuppressorWaitPeriod", "ActionsSuppressorExtensionPeriod")


@adds(CloudWatchResponse, "put_composite_alarm")
def _put_composite_alarm(self: CloudWatchResponse) -> EmptyResult:
    request, backend = parsed(self), self.cloudwatch_backend
    named = [name.split(":alarm:")[-1].strip() for name in _NAMED.findall(request["AlarmRule"])]
    missing = sorted({name for name in named if name not in backend.alarms})
    if missing:
        names = ", ".join(missing)
        message = f"Could not save the composite alarm as alarms [{names}] in the alarm rule do not exist"
        raise RefusedError("ValidationError", message)
    alarm = backend.put_metric_alarm(
        name=request["AlarmName"],
        namespace="",
        metric_name="",
        comparison_operator="",
        evaluation_periods=0,
        period=0,
        threshold=0,
        statistic="",
        description=request.get("AlarmDescription", ""),
        dimensions=[],
        alarm_actions=request.get("AlarmActions") or [],
        ok_actions=request.get("OKActions"),
        insufficient_data_actions=request.get("InsufficientDataActions"),
        actions_enabled=request.get("ActionsEnabled", True),
        rule=request["AlarmRule"],
        tags=request.get("Tags"),
    )
    vars(alarm).update({_snake(key): request[key] for key in _SUPPRESSION if key in request})
    return EmptyResult()


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
