"""Lambda function that packages a Helm chart from a Git repository, for Helm to install.

This file is the complete code of the function: it does not import the library, and the library does not
import it. CloudFormation calls it to create, update and delete custom resources; it always responds. A layer
contains Helm, which downloads subcharts.
"""

import json
import os
import shutil
import subprocess
import tarfile
import traceback
import urllib.request
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import boto3

HELM = "/opt/helm/helm"
LONGEST_REASON = 1000  # a response has at most 4096 bytes

Record = Mapping[str, Any]


def handler(event: Record, _context: object) -> None:
    """Handle a CloudFormation request."""
    physical_id = event.get("PhysicalResourceId", event["RequestId"])
    try:
        properties = event["ResourceProperties"]
        if event["RequestType"] == "Delete":
            boto3.client("s3").delete_object(Bucket=properties["Bucket"], Key=physical_id)
        else:
            physical_id = put(properties)
    except Exception as error:
        traceback.print_exc()
        answer(event, physical_id, "FAILED", str(error)[-LONGEST_REASON:])
    else:
        answer(event, physical_id, "SUCCESS", "")


def put(properties: Record) -> str:
    """Upload the archive to the bucket; return its key, which contains the commit."""
    work = Path("/tmp/chart")
    shutil.rmtree(work, ignore_errors=True)
    chart = fetched(properties["Repository"], properties["Commit"], properties["Path"], work)
    settings = {
        name: str(work / "helm") for name in ("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")
    }
    ran = subprocess.run(
        [HELM, "dependency", "update", str(chart)],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise RuntimeError(f"helm dependency update: {ran.stdout}{ran.stderr}")
    key = f"{chart.name}-{properties['Commit']}.zip"
    archive = work / "chart.zip"
    pack(chart, archive)
    boto3.client("s3").upload_file(str(archive), properties["Bucket"], key)
    return key


def fetched(repository: str, commit: str, path: str, work: Path) -> Path:
    """Return the chart's folder from GitHub's archive of a commit."""
    address = f"{repository.replace('github.com', 'codeload.github.com')}/tar.gz/{commit}"
    work.mkdir(parents=True)
    with urllib.request.urlopen(address) as found, tarfile.open(fileobj=found, mode="r|gz") as archive:
        # Python versions before 3.11.4, which some users rehearse with, have no filters
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        for member in archive:
            _, _, inner = member.name.partition("/")
            if inner.startswith(f"{path}/"):
                archive.extract(member, work)
    (top,) = work.iterdir()
    return top / path


def pack(folder: Path, target: Path) -> None:
    """Create a zip archive with the chart at its top, in the format that CDK's function unpacks."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))


def answer(event: Record, physical_id: str, status: str, reason: str) -> None:
    """Send the response to CloudFormation."""
    body = {
        "Status": status,
        "Reason": reason,
        "PhysicalResourceId": physical_id,
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
    }
    request = urllib.request.Request(event["ResponseURL"], json.dumps(body).encode(), method="PUT")
    urllib.request.urlopen(request).close()
