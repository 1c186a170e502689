"""Makes an archive of a chart that lies in a Git repository, for Helm to install.

This file is, as it stands, the code of a Lambda function: it imports nothing of the library, and nothing of
the library imports it. CloudFormation asks it to create, change and delete custom resources; it answers
whatever happens. Helm is in a layer, for the charts inside the chart.
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
LONGEST_REASON = 1000  # an answer has 4096 bytes at most

Record = Mapping[str, Any]


def handler(event: Record, _context: object) -> None:
    """Answer a request of CloudFormation."""
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
    """Put the archive into the bucket; gives its key, which is another one for another commit."""
    work = Path("/tmp/chart")
    shutil.rmtree(work, ignore_errors=True)
    chart = fetched(properties["Repository"], properties["Commit"], properties["Path"], work)
    settings = {
        name: str(work / "helm") for name in ("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")
    }
    told = subprocess.run(
        [HELM, "dependency", "update", str(chart)],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    if told.returncode:
        raise RuntimeError(f"helm dependency update: {told.stdout}{told.stderr}")
    key = f"{chart.name}-{properties['Commit']}.zip"
    archive = work / "chart.zip"
    pack(chart, archive)
    boto3.client("s3").upload_file(str(archive), properties["Bucket"], key)
    return key


def fetched(repository: str, commit: str, path: str, work: Path) -> Path:
    """The chart's folder, out of the archive that GitHub makes of a commit."""
    address = f"{repository.replace('github.com', 'codeload.github.com')}/tar.gz/{commit}"
    work.mkdir(parents=True)
    with urllib.request.urlopen(address) as found, tarfile.open(fileobj=found, mode="r|gz") as archive:
        # the Pythons of some who rehearse it have no filters (3.11.4 is the first)
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        for member in archive:
            _, _, inner = member.name.partition("/")
            if inner.startswith(f"{path}/"):
                archive.extract(member, work)
    (top,) = work.iterdir()
    return top / path


def pack(folder: Path, target: Path) -> None:
    """A zip archive with the chart at its top, as CDK's function unpacks it."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))


def answer(event: Record, physical_id: str, status: str, reason: str) -> None:
    """Tell CloudFormation."""
    body = {
        "Status": status,
        "Reason": reason,
        "PhysicalResourceId": physical_id,
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
    }
    request = urllib.request.Request(event["ResponseURL"], json.dumps(body).encode(), method="PUT")
    urllib.request.urlopen(request).close()
