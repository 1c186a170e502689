"""One edit of a template, reviewed and then deployed: whether the two agree."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scripts.cloud.local import LocalCloud, local_cloud
from scripts.cloud.template.custom_types import is_custom
from tests.cloud.edits import Edit
from tests.cloud.prediction import is_refused, predicted, reviewed

if TYPE_CHECKING:
    from scripts.cloud.engine.stack import Stack


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A stack to edit, and what is there before it: stacks, buckets, and whatever `prepare` puts there."""

    name: str
    region: str
    template: Mapping[str, Any]
    on: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    buckets: tuple[str, ...] = ()
    prepare: Callable[[LocalCloud], None] = lambda cloud: None


@dataclass
class Deployments:
    """A stack that stands as its template says before each edit; made anew where it cannot go back."""

    open: ExitStack = field(default_factory=ExitStack)
    subject: Subject | None = None
    stack: Stack | None = None
    local: LocalCloud | None = None

    def ready(self, subject: Subject) -> Stack:
        if self.subject is not subject or self.stack is None:
            self._anew(subject)
        assert self.stack is not None
        return self.stack

    def deploy(self, body: Mapping[str, Any]) -> None:
        assert self.local is not None
        assert self.subject is not None
        self.local.deploy(self.subject.region, self.subject.name, json.dumps(body))

    def put_back(self, *, replaced: bool) -> None:
        """As it was; what was replaced, or does not go back, is thrown away with its cloud."""
        assert self.stack is not None
        assert self.subject is not None
        if self.stack.status == "UPDATE_ROLLBACK_COMPLETE":
            return
        if not replaced and self.stack.status == "UPDATE_COMPLETE":
            self.deploy(self.subject.template)
        if replaced or self.stack.status != "UPDATE_COMPLETE":
            self.stack = None

    def _anew(self, subject: Subject) -> None:
        self.open.close()
        self.subject, self.local = subject, self.open.enter_context(local_cloud())
        ssm = self.local.client("ssm", subject.region)
        ssm.put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Type="String", Value="30")
        subject.prepare(self.local)
        for bucket in subject.buckets:
            place = {"LocationConstraint": subject.region}
            self.local.client("s3", subject.region).create_bucket(
                Bucket=bucket, CreateBucketConfiguration=place
            )
        for name, body in subject.on.items():
            self.local.deploy(subject.region, name, json.dumps(body))
        self.stack = self.local.deploy(subject.region, subject.name, json.dumps(subject.template))
        assert self.stack is not None
        assert self.stack.status == "CREATE_COMPLETE", [
            (e.logical_id, e.reason) for e in self.stack.events if "FAILED" in e.status
        ]


def deployed(stack: Stack, before: Mapping[str, str], since: int) -> dict[str, str]:
    """What became of each resource; whether a custom one is replaced, its provider says and no template."""
    changes = {
        event.logical_id: "changed"
        for event in stack.events[since:]
        if event.status == "UPDATE_COMPLETE" and event.logical_id in before
    }
    now = {name: resource.physical_id for name, resource in stack.resources.items()}
    changes |= {
        name: "changed" if is_custom(stack.resources[name].type) else "replaced"
        for name, old in before.items()
        if name in now and now[name] != old
    }
    changes |= {name: "removed" for name in before.keys() - now.keys()}
    return changes | {name: "added" for name in now.keys() - before.keys()}


def agree(deployments: Deployments, subject: Subject, edit: Edit) -> None:
    """The review of the edit, then its deployment; fails where they differ."""
    body = edit.applied(subject.template)
    review = reviewed(subject.template, body, subject.region)
    stack = deployments.ready(subject)
    before = {name: resource.physical_id for name, resource in stack.resources.items()}
    since = len(stack.events)
    deployments.deploy(body)
    failed = [(e.logical_id, e.reason) for e in stack.events[since:] if e.status == "UPDATE_FAILED"]
    happened = deployed(stack, before, since) if stack.status == "UPDATE_COMPLETE" else {}
    after = {name: resource.physical_id for name, resource in stack.resources.items()}
    deployments.put_back(replaced=any(after.get(name, old) != old for name, old in before.items()))
    if is_refused(review):
        assert failed, f"review refuses what is deployed: {[d.message for d in review.diagnostics]}"
        return
    assert not failed, f"review did not foresee {failed}"
    expected = predicted(review)
    assert happened == expected, f"deployed: {happened}\npredicted: {expected}"
