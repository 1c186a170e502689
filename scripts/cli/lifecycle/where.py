"""The deployed stack of a profile, and its account, for the lifecycle commands."""

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
    profile: str
    orchestrator: str | None
    aws: bool

    @property
    def stack(self) -> str:
        """Return the stack's name, which is the profile's name."""
        return self.design.profile.name

    @property
    def region(self) -> str:
        """Return the Region."""
        return self.design.profile.region

    def client(self, service: str) -> Any:
        """Return a client in the Region."""
        return self.target.client(service, self.region)

    def now(self) -> datetime:
        """Return the current time of the target."""
        return self.target.now()

    def ids(self, kind: str) -> dict[str, str]:
        """Return the physical ids of the stack's existing resources of one type, by logical id."""
        found = {}
        for one in self.resources():
            if one["ResourceType"] == kind and one["ResourceStatus"] != "DELETE_COMPLETE":
                found[one["LogicalResourceId"]] = one.get("PhysicalResourceId", "")
        return {name: identity for name, identity in found.items() if identity}

    def resources(self) -> list[dict[str, Any]]:
        """Return the stack's resources as CloudFormation lists them; raises if there is no stack."""
        try:
            return stack_resources(self.client("cloudformation"), self.stack)
        except ClientError as error:
            if "does not exist" not in str(error):
                raise RehearsalError(f"{self.stack} cannot be read: {error}") from None
            raise self.missing() from None

    def missing(self) -> RehearsalError:
        """Return the error for a missing stack, with a hint where the stack may be."""
        if self.aws:
            place = f"in {self.region} of account {self.target.account}"
            hint = "use credentials of the account that has the stack (set AWS_PROFILE), and check `region`"
        else:
            place = f"in {self.region} of the embedded cloud"
            deploy = f"make deploy PROFILE={shlex.quote(self.profile)}"
            hint = f"deploy the stack with `{deploy}`, or use your account with `--aws`"
        return RehearsalError(f"the stack {self.stack} does not exist {place}", 2, hint)

    def command(self, name: str, *more: str) -> str:
        """Return an ultracluster command for this cluster."""
        arguments = ["ultracluster", name, self.profile, *(["--aws"] if self.aws else [])]
        arguments += ["--orchestrator", self.orchestrator] if self.orchestrator else []
        return shlex.join([*arguments, *more])


@contextmanager
def where(cluster: Cluster, *, aws: bool) -> Iterator[Where]:
    """Yield the stack of `cluster`, which must have a design.

    If this function starts an embedded cloud, that cloud is empty.
    """
    design = cluster.design
    assert design is not None
    with target(aws=aws, account=design.profile.account) as place:
        yield Where(
            target=place, design=design, profile=cluster.argument, orchestrator=cluster.orchestrator, aws=aws
        )
