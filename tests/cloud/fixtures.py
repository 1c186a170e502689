"""The embedded cloud and the CDK CLI; what takes long to load is loaded where a test asks for it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from scripts.cloud.local import LocalCloud
    from scripts.cloud.process import Cloud
    from tests.cloud.custom.custom_functions import Workshop
    from tests.cloud.examples.deployed import Deployed

REGION = "us-east-1"
FIXTURE_APP = Path(__file__).parent / "fixture"
_numbers = count()


@pytest.fixture(scope="session")
def cloud() -> Iterator[Cloud]:
    from scripts.cloud.process import start_cloud

    with start_cloud() as running:
        yield running


@pytest.fixture(scope="module")
def module_cloud() -> Iterator[LocalCloud]:
    from scripts.cloud.local import local_cloud

    with local_cloud() as cloud:
        yield cloud


@pytest.fixture
def workshop(module_cloud: LocalCloud, tmp_path: Path) -> Workshop:
    from tests.cloud.custom.custom_functions import Workshop

    return Workshop(module_cloud, tmp_path / "events")


@pytest.fixture
def deployed(module_cloud: LocalCloud) -> Deployed:
    from tests.cloud.examples.deployed import Deployed

    return Deployed(module_cloud)


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
        options = {"Capabilities": ["CAPABILITY_NAMED_IAM"], **options}
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


@pytest.fixture
def local() -> Iterator[LocalCloud]:
    from scripts.cloud.local import local_cloud

    with local_cloud() as running:
        yield running


@pytest.fixture(scope="session")
def fixture_app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("app") / "fixture"
    shutil.copytree(FIXTURE_APP, folder)
    (folder / "cdk.json").write_text(json.dumps({"app": "python app.py"}))
    return folder


@dataclass(frozen=True)
class Result:
    """How a run of the CDK CLI ended."""

    status: int
    output: str


@dataclass(frozen=True)
class Cdk:
    """The real CDK CLI on the embedded cloud."""

    app: Path
    environment: Mapping[str, str]

    def run(self, *arguments: str) -> Result:
        process = self.start(*arguments)
        try:
            output, _ = process.communicate(timeout=200)
        finally:
            process.kill()
        return Result(process.returncode, output)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        from scripts.cli.rehearsal.toolkit import cdk

        return subprocess.Popen(
            [str(cdk()), *arguments, "--no-notices", "--no-version-reporting", "--no-color"],
            cwd=self.app,
            env={
                **os.environ,
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "CDK_DISABLE_VERSION_CHECK": "1",
                "CDK_DISABLE_CLI_TELEMETRY": "true",
                "CDK_VALIDATION": "false",  # the fixture is not what is under test
                **self.environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


@pytest.fixture(scope="session")
def assembly(cloud: Cloud, fixture_app: Path) -> Path:
    """The fixture app's cloud assembly: synthesized once, changed by `variant`."""
    folder = fixture_app / "assembly"
    made = Cdk(fixture_app, cloud.environment()).run("synth", "--quiet", "--output", os.fspath(folder))
    assert made.status == 0, made.output
    return folder


@pytest.fixture(scope="session")
def cdk_cli(cloud: Cloud, fixture_app: Path, assembly: Path) -> Cdk:
    """The CLI, in an account that is bootstrapped."""
    runner = Cdk(fixture_app, cloud.environment())
    made = runner.run("bootstrap", "aws://123456789012/us-east-1", "--app", os.fspath(assembly))
    assert made.status == 0, made.output
    return runner


def variant(assembly: Path, folder: Path, edit: Callable[[dict[str, Any]], None]) -> Path:
    """A copy of an assembly with another template, and the template's hash wherever it is written."""
    shutil.copytree(assembly, folder)
    path = folder / "fixture.template.json"
    assets = folder / "fixture.assets.json"
    template = json.loads(path.read_text())
    edit(template)
    path.write_text(json.dumps(template))
    files = json.loads(assets.read_text())["files"]
    (old,) = [key for key, file in files.items() if file["source"]["path"] == path.name]
    new = hashlib.sha256(path.read_bytes()).hexdigest()
    for file in (assets, folder / "manifest.json"):
        file.write_text(file.read_text().replace(old, new))
    return folder


@pytest.fixture
def vary(assembly: Path, tmp_path: Path) -> Callable[[Callable[[dict[str, Any]], None]], Path]:
    return lambda edit: variant(assembly, tmp_path / f"assembly-{next(_numbers)}", edit)
