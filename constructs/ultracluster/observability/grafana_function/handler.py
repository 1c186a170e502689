"""Requests from CloudFormation and the responses to them.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref.html
"""

from __future__ import annotations

import json
import time
import traceback
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import ClientError

from .accounts import Workspace
from .api import Api
from .content import Content
from .retries import GoneError, NoTimeError, RefusedError, Retries
from .workspaces import delete_workspace, put_workspace

CONTENT = Path(__file__).with_name("content.json")
LONGEST_REASON = 1000  # a response has at most 4096 bytes
CONTENT_TYPE = "Custom::GrafanaContent"
WORKSPACE_TYPE = "Custom::GrafanaWorkspace"
_OF_CLOUDFORMATION = ("ServiceToken", "ServiceTimeout")

Json = dict[str, Any]


def handler(event: Mapping[str, Any], context: Any) -> None:
    """Process a request from CloudFormation, and send the response."""
    deleting = event["RequestType"] == "Delete"
    answer: Json = {name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")}
    answer["PhysicalResourceId"] = event.get("PhysicalResourceId") or "none"
    retries = Retries(context)
    try:
        if event["ResourceType"] == CONTENT_TYPE:
            _content(event, answer, retries)
        elif deleting:
            delete_workspace(event, retries)
        else:
            put_workspace(event, answer, retries)
        answer["Status"] = "SUCCESS"
    except GoneError as error:
        # without the workspace, there is no content to delete
        answer |= {"Status": "SUCCESS"} if deleting else {"Status": "FAILED", "Reason": str(error)}
    except Exception as error:
        traceback.print_exc()
        explained = isinstance(error, RefusedError | ClientError)
        said = (str(error) if explained else repr(error))[:LONGEST_REASON]
        if deleting and event["ResourceType"] == CONTENT_TYPE:
            # the stack must not fail with DELETE_FAILED because of dashboards
            print(f"WARNING: the content is not deleted: {said}")
            answer["Status"] = "SUCCESS"
        else:
            later = "; deploy again later" if isinstance(error, NoTimeError) else ""
            answer |= {"Status": "FAILED", "Reason": said + later}
    print(json.dumps(answer))
    send(event["ResponseURL"], json.dumps(answer).encode())


def _content(event: Mapping[str, Any], answer: Json, retries: Retries) -> None:
    """Load, update or remove the content."""
    properties = event["ResourceProperties"]
    if event["RequestType"] == "Delete":
        prefix = event["PhysicalResourceId"].rpartition("/")[2]
        if prefix != event["PhysicalResourceId"]:  # otherwise it was never created
            loaded = {"prefix": prefix, "folder": {"uid": prefix, "title": prefix}, "configuration": {}}
            with _let_in(event, loaded, retries) as api:
                Content(api, loaded, retries).remove()
        return
    wanted = _filled(json.loads(CONTENT.read_text(encoding="utf-8")), properties, retries)
    # a new workspace, URL or prefix is a new resource, so that the content of the old one is removed
    place = properties.get("WorkspaceId") or properties["Url"]
    answer["PhysicalResourceId"] = f"{place}/{wanted['prefix']}"
    if event["RequestType"] == "Update" and _same(properties, event["OldResourceProperties"]):
        return
    with _let_in(event, wanted, retries) as api:
        Content(api, wanted, retries).load()


def _same(properties: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    """Return whether Grafana needs no change; the content is compared by its hash."""
    names = (properties.keys() | before.keys()) - set(_OF_CLOUDFORMATION)
    return all(properties.get(name) == before.get(name) for name in names)


@contextmanager
def _let_in(event: Mapping[str, Any], wanted: Mapping[str, Any], retries: Retries) -> Iterator[Api]:
    """Yield a client for Grafana, with a new token or the token of a secret."""
    properties = event["ResourceProperties"]
    workspace_id = properties.get("WorkspaceId")
    if not workspace_id:
        yield Api(properties["Url"], _secret(properties["TokenSecretArn"], retries).strip(), retries)
        return
    workspace = Workspace(workspace_id, properties["Region"], retries)
    endpoint = workspace.ready()["endpoint"]
    if wanted["configuration"]:
        workspace.configure(wanted["configuration"])
    with workspace.token(f"{wanted['prefix']}-loader") as token:
        yield Api(f"https://{endpoint}", token, retries)


def _secret(arn: str, retries: Retries) -> str:
    secrets: Any = boto3.client("secretsmanager", region_name=arn.split(":")[3])
    found: str = retries.call(secrets.get_secret_value, SecretId=arn)["SecretString"]
    return found


def _filled(content: Json, properties: Mapping[str, Any], retries: Retries) -> Json:
    """Return the content with the URL of Prometheus, and with its user name and password."""
    values = {"@PROMETHEUS@": properties.get("PrometheusUrl", "").rstrip("/")}
    if properties.get("PrometheusSecretArn"):
        user = json.loads(_secret(properties["PrometheusSecretArn"], retries))
        values |= {"@USERNAME@": user["username"], "@PASSWORD@": user["password"]}
    return {**content, "data_sources": [_replaced(source, values) for source in content["data_sources"]]}


def _replaced(found: Any, values: Mapping[str, str]) -> Any:
    if isinstance(found, dict):
        return {key: _replaced(value, values) for key, value in found.items()}
    if isinstance(found, str):
        for name, value in values.items():
            found = found.replace(name, value)
    return found


def send(url: str, body: bytes) -> None:
    """Send the response, with retries; raises if it fails, and Lambda then repeats the request."""
    for wait_s in (1, 2, 0):
        request = urllib.request.Request(url, body, {"Content-Type": ""}, method="PUT")
        try:
            urllib.request.urlopen(request, timeout=5).close()
        except OSError:
            if not wait_s:
                raise
            time.sleep(wait_s)
        else:
            return
