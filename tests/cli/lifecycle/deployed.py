"""A cluster of each orchestrator in a cloud of this process, with jobs on it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError

from scripts.cli.lifecycle.reporter import Reporter
from scripts.cli.lifecycle.scheduler import Scheduler
from scripts.cli.lifecycle.schedulers import scheduler_of
from scripts.cli.lifecycle.where import Where
from scripts.cli.rehearsal.kubernetes_api import UnreachableError
from scripts.cloud.clients import ACCOUNT_ID
from scripts.cloud.engine import answers
from scripts.cloud.extensions.nodes.machines import hyperpod_machines, kubernetes_machines, pcs_machines
from scripts.cloud.extensions.simulation import Job, Simulation
from scripts.cloud.simulation.kubernetes import UnreachableError as CloudUnreachable
from scripts.cloud.simulation.kubernetes import api_of
from tests.cloud.sandbox import REGION, LocalTarget, Sandbox, StacksClient

ORCHESTRATORS = ("hyperpod-slurm", "hyperpod-eks", "eks", "pcs")


@dataclass(frozen=True)
class LocalApi:
    """The Kubernetes API in this process, as the client of HTTP shows it."""

    sandbox: Sandbox
    cluster: str

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        try:
            answer: tuple[int, Any] = api_of(self.sandbox.cloud.account, REGION, self.cluster).answer(
                method, path, body
            )
        except CloudUnreachable as error:
            raise UnreachableError(str(error)) from None
        return answer


@dataclass(frozen=True)
class Place(LocalTarget):
    """The cloud of this process, with its clock and its Kubernetes."""

    interrupt: Interrupt | None = None

    def now(self) -> datetime:
        return self.sandbox.cloud.simulation.now()

    def sleep(self, seconds: float) -> None:
        if self.interrupt:
            self.interrupt.step()
        self.sandbox.cloud.simulation.advance(seconds)

    def kubernetes(self, region: str, cluster: str) -> LocalApi:
        return LocalApi(self.sandbox, cluster)

    def client(self, service: str, region: str) -> Any:
        if self.interrupt:
            self.interrupt.step()
        return (
            TeardownStacks(self.sandbox.backend)
            if service == "cloudformation"
            else super().client(service, region)
        )


@dataclass(frozen=True)
class TeardownStacks(StacksClient):
    """What of CloudFormation a teardown needs beside what its checks do."""

    def describe_stacks(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803 - as boto3 names it
        return {"Stacks": [answers.stack(self._stack(StackName))]}

    def update_termination_protection(self, *, StackName: str, EnableTerminationProtection: bool) -> None:  # noqa: N803
        self._stack(StackName).protected = EnableTerminationProtection

    def delete_stack(self, *, StackName: str) -> None:  # noqa: N803
        self.backend.delete(self._stack(StackName))

    def get_paginator(self, name: str) -> Any:
        return StackEvents(self) if name == "describe_stack_events" else super().get_paginator(name)

    def _stack(self, name: str) -> Any:
        found = [
            one
            for one in self.backend.stacks.values()
            if name == one.id or (name == one.name and one.status != "DELETE_COMPLETE")
        ]
        if not found:
            reported = f"Stack with id {name} does not exist"
            raise ClientError({"Error": {"Code": "ValidationError", "Message": reported}}, "DescribeStacks")
        return found[-1]


@dataclass(frozen=True)
class StackEvents:
    """Pages of a stack's events."""

    stacks: TeardownStacks

    def paginate(self, *, StackName: str) -> Iterator[dict[str, Any]]:  # noqa: N803
        yield {"StackEvents": [answers.event(e) for e in reversed(self.stacks._stack(StackName).events)]}


@dataclass
class Interrupt:
    """Ctrl-C after so many steps: at any client that is asked for, and any wait."""

    after: int

    def step(self) -> None:
        self.after -= 1
        if self.after == 0:
            raise KeyboardInterrupt


@dataclass
class Reported:
    """What was told, for people."""

    lines: list[str] = field(default_factory=list)

    @property
    def teller(self) -> Reporter:
        return Reporter(line=self.lines.append)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass
class DeployedCluster:
    """A deployed profile; `cluster_name` is its cluster in the simulation, `nodes` are those of its group."""

    sandbox: Sandbox
    profile: dict[str, Any]
    reported: Reported = field(default_factory=Reported)
    interrupt: Interrupt | None = None

    def __post_init__(self) -> None:
        self.loaded = self.sandbox.load(self.profile)
        self.sandbox.deploy(self.profile)
        self.cluster_name, machines = self._machines()
        self.nodes = [
            one.name for one in machines if "train" in one.group or ("train" in dict(one.labels).values())
        ]

    @property
    def simulation(self) -> Simulation:
        return self.sandbox.cloud.simulation

    @property
    def where(self) -> Where:
        assert self.loaded.design
        place = Place(ACCOUNT_ID, started=False, cloud=None, sandbox=self.sandbox, interrupt=self.interrupt)
        return Where(
            target=place,
            design=self.loaded.design,
            profile=self.profile["name"],
            orchestrator=None,
            aws=False,
        )

    @property
    def scheduler(self) -> Scheduler:
        found = scheduler_of(self.where)
        assert found is not None
        return found

    def _machines(self) -> tuple[str, list[Any]]:
        name = self.profile["name"]
        for kind, machines in (
            ("AWS::EKS::Cluster", kubernetes_machines),
            ("AWS::SageMaker::Cluster", hyperpod_machines),
            ("AWS::PCS::Cluster", pcs_machines),
        ):
            found = list(self.sandbox.ids(name, kind).values())
            if found:
                identity = found[0].rpartition("/")[2]
                there = list(machines(ACCOUNT_ID, REGION, identity))
                if kind == "AWS::SageMaker::Cluster":
                    reported = self.sandbox.client("sagemaker").describe_cluster(ClusterName=found[0])
                    identity = reported["ClusterName"]
                return identity, there
        return "", []

    def submit(self, name: str = "train", **more: Any) -> Job:
        """A job on the first node of the group, unless told otherwise."""
        chosen = {"nodes": tuple(self.nodes[:1]), "duration_s": 600.0, **self._queue(), **more}
        return self.simulation.submit(self.cluster_name, name, chosen.pop("nodes"), **chosen)

    def _queue(self) -> dict[str, str]:
        """Where jobs of the cluster come in."""
        kind = self.profile["orchestrator"]["kind"]
        if kind in ("hyperpod-slurm", "pcs"):
            return {"partition": {"hyperpod-slurm": "dev", "pcs": "train"}[kind]}
        contents = self.sandbox.cloud.kubernetes(REGION, self.cluster_name)
        queues = [one for kind in ("ClusterQueue", "Queue") for one in contents.of_kind(kind)]
        named = [str(one["metadata"]["name"]) for one in queues if one["metadata"]["name"] != "cluster"]
        return {"queue": named[0]} if named else {}


def profile_of(kind: str, **more: Any) -> dict[str, Any]:
    """A small profile under an orchestrator, with a group `train` of two nodes."""
    system = [{"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}]
    slurm = {
        "hyperpod-slurm": [
            {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
            {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
        ],
        "pcs": [{"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}],
    }
    train = {
        "name": "train",
        "role": "compute",
        "instance_type": "p5.48xlarge",
        "count": 2,
        "capacity": {"kind": "on-demand"},
    }
    return {
        "extends": "p5",
        "name": "life",
        "region": REGION,
        "availability_zone_id": "usw2-az1",
        "network": {"secondary_zones": ["usw2-az2"]},
        "orchestrator": {"kind": kind},
        "compute": {"groups": [*slurm.get(kind, system), train]},
        "observability": None,
        **more,
    }


def as_events(lines: list[str]) -> list[dict[str, Any]]:
    """The objects that were told, one a line."""
    return [json.loads(line) for line in lines]
