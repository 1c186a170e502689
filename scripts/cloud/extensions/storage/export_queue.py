"""CloudWatch metrics of the export queue of a Lustre file system.

https://docs.aws.amazon.com/fsx/latest/LustreGuide/fs-metrics.html
"""

from __future__ import annotations

from moto.cloudwatch.responses import CloudWatchResponse
from moto.core.responses import ActionResult

from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.simulation import simulation

_METRIC = ("AWS/FSx", "AgeOfOldestQueuedMessage")
_get_metric_statistics = CloudWatchResponse.get_metric_statistics


@adds(CloudWatchResponse, "get_metric_statistics")
def _statistics(self: CloudWatchResponse) -> ActionResult:
    if (self._get_param("Namespace"), self._get_param("MetricName")) != _METRIC:
        return _get_metric_statistics(self)
    declared = {one["Name"]: one["Value"] for one in self._get_param("Dimensions", [])}
    here = simulation()
    here.settle()
    if declared.get("Publisher") != "AutoExport" or declared.get("FileSystemId") not in here.exporting:
        return ActionResult({"Label": _METRIC[1], "Datapoints": []})
    files = here.files.get(declared["FileSystemId"])
    now = here.now()
    point = {
        "Timestamp": now.replace(second=0, microsecond=0),
        "Maximum": files.age_s(now) if files else 0.0,
        "Unit": "Seconds",
    }
    return ActionResult({"Label": _METRIC[1], "Datapoints": [point]})
