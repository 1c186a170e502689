"""Deployment, update and deletion of profiles in an embedded cloud of this process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from app import synthesize
from config.cluster import Cluster, load_cluster
from config.profile.source.yaml_writer import as_yaml
from scripts.cli.rehearsal.assembly import Assembly
from scripts.cli.rehearsal.target import Target
from scripts.cloud.assets import put_assets
from scripts.cloud.clients import ACCOUNT_ID
from scripts.cloud.engine.backend import Request
from scripts.cloud.local import LocalCloud

REGION = "us-west-2"
_numbers = count()
_texts: dict[str, str] = {}
_folders: dict[str, Path] = {}


def explained(stack: Any) -> str:
    """Why a deployment or a deletion failed."""
    failed = (e for e in stack.events if e.status.endswith("_FAILED"))
    return f"{stack.name} {stack.status}: " + "; ".join(f"{e.logical_id}: {e.reason}" for e in failed)


@dataclass(frozen=True)
class StacksClient:
    """What a boto3 client of CloudFormation tells of the stacks of this process."""

    backend: Any

    def get_paginator(self, name: str) -> StacksPages:
        return StacksPages(self.backend, name)

    def get_template(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803 - as boto3 names it
        return {"TemplateBody": json.loads(self.backend.stack(StackName).template.text)}


@dataclass(frozen=True)
class StacksPages:
    """Pages of stacks, or of the resources of one."""

    backend: Any
    name: str

    def paginate(self, *, StackName: str | None = None) -> Iterator[dict[str, Any]]:  # noqa: N803
        if self.name == "describe_stacks":
            there = [s for s in self.backend.stacks.values() if s.status != "DELETE_COMPLETE"]
            yield {"Stacks": [{"StackName": s.name, "StackStatus": s.status} for s in there]}
            return
        assert self.name == "list_stack_resources"
        stacks = self.backend.stacks.values()
        found = next((s for s in stacks if s.name == StackName and s.status != "DELETE_COMPLETE"), None)
        if found is None:
            reported = f"Stack with id {StackName} does not exist"
            raise ClientError(
                {"Error": {"Code": "ValidationError", "Message": reported}}, "ListStackResources"
            )
        yield {
            "StackResourceSummaries": [
                {
                    "LogicalResourceId": r.logical_id,
                    "PhysicalResourceId": r.physical_id,
                    "ResourceType": r.type,
                    "ResourceStatus": r.status,
                }
                for r in found.resources.values()
            ]
        }


@dataclass(frozen=True)
class LocalTarget(Target):
    """The cloud of this process as a place to deploy to."""

    sandbox: Sandbox

    def client(self, service: str, region: str) -> Any:
        assert region == REGION
        is_stacks = service == "cloudformation"
        return StacksClient(self.sandbox.backend) if is_stacks else self.sandbox.client(service)


@dataclass
class Sandbox:
    """An account in one Region, with methods to deploy and delete profiles."""

    cloud: LocalCloud
    folder: Path

    def __post_init__(self) -> None:
        self.cloud.bootstrap(REGION)

    def client(self, service: str) -> Any:
        return self.cloud.client(service, REGION)

    @property
    def backend(self) -> Any:
        return self.cloud.backend(REGION)

    def write(self, profile: Mapping[str, Any]) -> Path:
        """The file of a profile, named after it."""
        file = self.folder / f"{profile['name']}.yaml"
        # in YAML 1.2, as profiles are read: to PyYAML a mount name of digits around one e needs no quotes
        file.write_text(as_yaml(profile), encoding="utf-8")
        return file

    def load(self, profile: Mapping[str, Any]) -> Cluster:
        cluster = load_cluster(str(self.write(profile)))
        assert cluster.design is not None, [d.message for d in cluster.diagnostics if d.stops]
        return cluster

    def template(self, cluster: Cluster) -> str:
        """What a profile synthesizes to; each design once in a process."""
        assert cluster.design is not None
        key = repr((cluster.design.profile, cluster.design.data_profile))
        if key not in _texts:
            folder = self.folder / f"assembly-{next(_numbers)}"
            synthesize(cluster, outdir=str(folder))
            name = f"{cluster.design.profile.name}.template.json"
            _texts[key], _folders[key] = (folder / name).read_text(encoding="utf-8"), folder
        return _texts[key]

    @property
    def place(self) -> Target:
        """Where the commands of the project deploy to."""
        return LocalTarget(ACCOUNT_ID, started=False, cloud=None, sandbox=self)

    def assembly(self, cluster: Cluster) -> Assembly:
        """What the CDK CLI would be given of a profile."""
        assert cluster.design is not None
        template = json.loads(self.template(cluster))
        return Assembly(self.folder, cluster.design.profile.name, REGION, None, True, template)

    def try_deploy(self, cluster: Cluster) -> Any:
        """Create or update the stack of a profile, whatever comes of it; no change is none."""
        assert cluster.design is not None
        name, text = cluster.design.profile.name, self.template(cluster)
        if "AWS::Lambda::Function" in text:
            key = repr((cluster.design.profile, cluster.design.data_profile))
            put_assets(self.cloud, REGION, _folders[key])
        request = Request(
            stack_name=name, template=text, parameters={}, tags={}, capabilities=("CAPABILITY_NAMED_IAM",)
        )
        known = self.stack(name) is not None
        change_set = self.backend.create_change_set("test", "UPDATE" if known else "CREATE", request)
        if change_set.execution_status == "AVAILABLE":
            self.backend.execute(change_set)
            change_set.stack.protected = not cluster.design.profile.disposable
        return change_set.stack

    def deploy(self, profile: Mapping[str, Any]) -> Any:
        stack = self.try_deploy(self.load(profile))
        assert stack.status in ("CREATE_COMPLETE", "UPDATE_COMPLETE"), explained(stack)
        return stack

    def stack(self, name: str) -> Any:
        """The stack of that name; None where there is none."""
        stacks = self.backend.stacks.values()
        return next((s for s in stacks if s.name == name and s.status != "DELETE_COMPLETE"), None)

    def delete(self, name: str) -> Any:
        """Lift the protection and delete, as teardown does after its own checks."""
        stack = self.stack(name)
        stack.protected = False
        self.backend.delete(stack)
        assert stack.status == "DELETE_COMPLETE", explained(stack)
        return stack

    def ids(self, name: str, kind: str) -> dict[str, str]:
        """Physical ids of a stack's resources of one type, by logical id."""
        stack = self.stack(name)
        resources = stack.resources if stack else {}
        return {key: r.physical_id for key, r in resources.items() if r.type == kind}
