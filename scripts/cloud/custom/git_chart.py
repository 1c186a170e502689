"""Model of our function that archives charts from Git repositories. It does not use GitHub or Helm.

Based on constructs/ultracluster/kubernetes/git_chart_handler.py. The model supports the commits of the lock
file.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from config.catalog import catalog

from .cdk.responses import submit
from .providers import Call, Identity

# without the description of the function, which a release may change
IDENTITY = Identity(resource_type="Custom::GitChart")


def behave(call: Call) -> None:
    """Upload an archive to the bucket, or delete it."""
    event, s3 = call.event, call.environment.client("s3")
    properties = event["ResourceProperties"]
    physical_id = event.get("PhysicalResourceId", event["RequestId"])
    try:
        if event["RequestType"] == "Delete":
            s3.delete_object(Bucket=properties["Bucket"], Key=physical_id)
        else:
            name, content = _archive(properties)
            physical_id = f"{name}-{properties['Commit']}.zip"
            s3.put_object(Bucket=properties["Bucket"], Key=physical_id, Body=content)
    except (LookupError, ClientError) as error:
        submit(call, "FAILED", reason=str(error), physical_id=physical_id)
    else:
        submit(call, "SUCCESS", physical_id=physical_id)


def _archive(properties: Mapping[str, Any]) -> tuple[str, bytes]:
    """Return the name of the chart's folder, and an archive with only the name and version of the chart."""
    wanted = tuple(properties[key] for key in ("Repository", "Commit", "Path"))
    for chart in catalog().charts.values():
        if (chart.repository, chart.commit, chart.path) == wanted:
            target = io.BytesIO()
            with zipfile.ZipFile(target, "w") as archive:
                archive.writestr("Chart.yaml", f"name: {chart.name}\nversion: {chart.version}\n")
            return properties["Path"].rpartition("/")[2], target.getvalue()
    raise LookupError("HTTP Error 404: Not Found")
