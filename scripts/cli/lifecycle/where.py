"""Whose cluster, and where: what the commands of a cluster's life ask the account through."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError

from config.cluster import Cluster
from config.design.model import Design
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.target import Target, stack_resources, target


@dataclass(frozen=True, kw_only=True)
class Where:
    """The stack of a profile in an account."""

    target: Target
    design: Design
    given: str
    orchestrator: str | None
    aws: bool

    @property
    def stack(self) -> str:
        """The stack's name: the profile's."""
        return self.design.profile.name

    @property
    def region(self) -> str:
        """The Region."""
        return self.design.profile.region

    def client(self, service: str) -> Any:
        """A client of the Region."""
        return self.target.client(service, self.region)

    def now(self) -> datetime:
        """The time there."""
        return self.target.now()

    def ids(self, kind: str) -> dict[str, str]:
        """Physical ids of the stack's resources of one type, by logical id; those that are there."""
        found = {}
        for one in self.resources():
            if one["ResourceType"] == kind and one["ResourceStatus"] != "DELETE_COMPLETE":
                found[one["LogicalResourceId"]] = one.get("PhysicalResourceId", "")
        return {name: identity for name, identity in found.items() if identity}

    def resources(self) -> list[dict[str, Any]]:
        """The stack's resources as CloudFormation lists them; refused where there is no stack."""
        try:
            return stack_resources(self.client("cloudformation"), self.stack)
        except ClientError as error:
            if "does not exist" not in str(error):
                raise RehearsalError(f"{self.stack} cannot be read: {error}") from None
            raise self.missing() from None

    def missing(self) -> RehearsalError:
        """That there is no such stack, and where else it may be."""
        if self.aws:
            place = f"in {self.region} of account {self.target.account}"
            hint = (
                "take the credentials of the account that has it (AWS_PROFILE says which), and see `region`"
            )
        else:
            place = f"in {self.region} of the embedded cloud"
            deploy = f"make deploy PROFILE={shlex.quote(self.given)}"
            hint = f"`{deploy}` deploys it there; with `--aws` your account is meant"
        return RehearsalError(f"there is no stack {self.stack} {place}", 2, hint)

    def command(self, name: str, *more: str) -> str:
        """A command of ultracluster about this cluster, to be typed."""
        words = ["ultracluster", name, self.given, *(["--aws"] if self.aws else [])]
        words += ["--orchestrator", self.orchestrator] if self.orchestrator else []
        return shlex.join([*words, *more])


@contextmanager
def where(cluster: Cluster, *, aws: bool) -> Iterator[Where]:
    """The place of a cluster. `cluster` has a design. A cloud that is started here is empty."""
    design = cluster.design
    assert design is not None
    with target(aws=aws, account=design.profile.account) as place:
        yield Where(
            target=place, design=design, given=cluster.given, orchestrator=cluster.orchestrator, aws=aws
        )
