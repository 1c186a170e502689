from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from scripts.cloud.process import Cloud, start_cloud

REGION = "us-east-1"
FIXTURE_APP = Path(__file__).parent / "fixture"
_numbers = count()


@pytest.fixture(scope="session")
def cloud() -> Iterator[Cloud]:
    with start_cloud() as running:
        yield running


@dataclass
class Stacks:
    """CloudFormation of the embedded cloud, with short words for what tests ask of it."""

    cloud: Cloud
    region: str = REGION
    api: Any = field(init=False)

    def __post_init__(self) -> None:
        self.api = self.cloud.client("cloudformation", self.region)

    def client(self, service: str) -> Any:
        return self.cloud.client(service, self.region)

    def name(self) -> str:
        return f"stack-{next(_numbers)}"

    def create(self, resources: Mapping[str, Any], name: str | None = None, **sections: Any) -> str:
        name = name or self.name()
        options = sections.pop("options", {})
        body = json.dumps({"Resources": resources, **sections})
        self.api.create_stack(StackName=name, TemplateBody=body, **options)
        return name

    def update(self, name: str, resources: Mapping[str, Any], **sections: Any) -> None:
        options = sections.pop("options", {})
        body = json.dumps({"Resources": resources, **sections})
        self.api.update_stack(StackName=name, TemplateBody=body, **options)

    def status(self, name: str) -> str:
        status: str = self.api.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
        return status

    def outputs(self, name: str) -> dict[str, str]:
        stack = self.api.describe_stacks(StackName=name)["Stacks"][0]
        return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}

    def ids(self, name: str) -> dict[str, str]:
        found = self.api.list_stack_resources(StackName=name)["StackResourceSummaries"]
        return {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in found}

    def events(self, name: str) -> list[tuple[str, str, str]]:
        found = self.api.describe_stack_events(StackName=name)["StackEvents"]
        return [
            (e["LogicalResourceId"], e["ResourceStatus"], e.get("ResourceStatusReason", ""))
            for e in reversed(found)
        ]

    def reason(self, name: str, logical_id: str, status: str) -> str:
        reasons = [why for who, what, why in self.events(name) if (who, what) == (logical_id, status)]
        assert reasons, f"no {status} of {logical_id} among {self.events(name)}"
        return reasons[-1]


@pytest.fixture
def stacks(cloud: Cloud) -> Stacks:
    return Stacks(cloud)


@pytest.fixture(scope="session")
def fixture_app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("app") / "fixture"
    shutil.copytree(FIXTURE_APP, folder)
    (folder / "cdk.json").write_text(json.dumps({"app": "python app.py"}))
    return folder
