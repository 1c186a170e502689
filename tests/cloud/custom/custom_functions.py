"""Functions for custom resources, and stacks that use them: what the tests of custom resources share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from scripts.cloud.custom.inline import archive
from scripts.cloud.engine.stack import Stack
from scripts.cloud.local import LocalCloud

REGION = "us-east-1"
_numbers = count()
RECORDER = """
import json, os, urllib.request

def seen(event):
    with open(os.environ["SEEN"], "a") as record:
        record.write(json.dumps(event) + "\\n")

def answer(event, **said):
    body = {name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")}
    body.update({"Status": "SUCCESS", **said})
    request = urllib.request.Request(event["ResponseURL"], json.dumps(body).encode(), method="PUT")
    urllib.request.urlopen(request).close()
"""
# the physical id is the property Name; `Fails` names the kinds of request that it refuses
NAMED = """
from recorder import answer, seen

def handler(event, context):
    seen(event)
    properties = event["ResourceProperties"]
    said = {"PhysicalResourceId": properties["Name"], "Data": {"Url": "https://" + properties["Name"]}}
    if event["RequestType"] in properties.get("Fails", ""):
        answer(event, Status="FAILED", Reason="it refuses", **said)
    else:
        answer(event, **said)
"""
# it returns what only the provider framework takes
FORGETS = """
from recorder import seen

def handler(event, context):
    seen(event)
    return {"PhysicalResourceId": "one"}
"""
TRUST = {"Principal": {"Service": "lambda.amazonaws.com"}, "Effect": "Allow", "Action": "sts:AssumeRole"}
# a resource that always fails, once what it depends on is there
FAILING = {
    "Type": "AWS::EC2::Subnet",
    "DependsOn": "Thing",
    "Properties": {"VpcId": "vpc-0123456789abcdef0", "CidrBlock": "10.0.0.0/24"},
}


def make_function(
    client: Any, code: bytes, name: str = "", variables: Mapping[str, str] | None = None, **more: Any
) -> str:
    """A function of Lambda; `client` gives a boto3 client of a service."""
    iam, name = client("iam"), name or f"provider-{next(_numbers)}"
    policy = json.dumps({"Version": "2012-10-17", "Statement": [TRUST]})
    role = iam.create_role(RoleName=f"role-{name}", AssumeRolePolicyDocument=policy)["Role"]["Arn"]
    settings = {"Runtime": "python3.13", "Handler": "index.handler", "Timeout": 60, **more}
    arn: str = client("lambda").create_function(
        FunctionName=name,
        Role=role,
        Code={"ZipFile": code},
        Environment={"Variables": dict(variables or {})},
        **settings,
    )["FunctionArn"]
    return arn


def events_in(path: Path) -> list[dict[str, Any]]:
    """What the functions have written of their events."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@dataclass
class Workshop:
    """A cloud with a provider, and one stack of its own whose resource `Thing` the provider makes."""

    cloud: LocalCloud
    record: Path
    name: str = field(default_factory=lambda: f"workshop-{next(_numbers)}")
    token: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    def client(self, service: str) -> Any:
        return self.cloud.client(service, REGION)

    def function(self, source: str, **more: Any) -> str:
        """A function of two modules: the source and the recorder. It becomes the stack's provider."""
        code = archive({"index.py": source, "recorder.py": RECORDER})
        self.token = make_function(self.client, code, variables={"SEEN": str(self.record)}, **more)
        return self.token

    def deploy(
        self, properties: Mapping[str, Any], kind: str = "Custom::Thing", rollback: bool = True, **others: Any
    ) -> Stack:
        """Create or update the stack: `Thing` with these properties, and other resources."""
        outputs = others.pop("outputs", {})
        thing = {"Type": kind, "Properties": {"ServiceToken": self.token, **properties}, **self.options}
        template = {
            "Resources": {"Thing": thing, **others},
            "Outputs": {name: {"Value": value} for name, value in outputs.items()},
        }
        stack: Stack = self.cloud.deploy(REGION, self.name, json.dumps(template), rollback=rollback)
        return stack

    def delete(self, stack: Stack) -> Stack:
        self.cloud.backend(REGION).delete(stack)
        return stack

    def seen(self) -> list[tuple[str, str | None]]:
        """The kind and the physical id of every request."""
        return [(event["RequestType"], event.get("PhysicalResourceId")) for event in events_in(self.record)]


def reason(stack: Stack, status: str, logical_id: str = "Thing") -> str:
    """Why a resource came to a status."""
    found = [e.reason or "" for e in stack.events if (e.logical_id, e.status) == (logical_id, status)]
    assert found, [(e.logical_id, e.status, e.reason) for e in stack.events]
    return found[-1]
