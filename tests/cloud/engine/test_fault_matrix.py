"""The fault matrix: each resource type of the built-in templates fails when created, and when updated.

After each failure the stack is in the state that AWS shows, nothing is left but what was there before, and
the next deployment succeeds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from scripts.cloud.faults import Fault
from scripts.cloud.local import LocalCloud, local_cloud
from scripts.cloud.template.names import DELETED_FIRST, replaced_in_order
from tests.cloud.edits import Edit, edits, with_spares
from tests.cloud.inventory import inventory
from tests.cloud.prediction import is_refused, predicted, reviewed
from tests.cloud.snapshots import put_assets_of, snapshot
from tests.conftest import ROOT

if TYPE_CHECKING:
    from scripts.cloud.engine.stack import Stack

REGION = "us-west-2"
# p6-b200 has every type but the parameters that a data profile hands on; the cluster on it reads them. Under
# PCS and Kubernetes it has those of these
PROFILES = ("p6-b200", "p6-b200-data", "p6-b200.pcs", "p6-b200.eks", "p6-b200.hyperpod-eks")


def types() -> dict[str, str]:
    """Resource type to the first profile that has it."""
    found: dict[str, str] = {}
    for name in PROFILES:
        for declared in snapshot(name)["Resources"].values():
            found.setdefault(declared["Type"], name)
    return found


TYPES = types()
# both of its properties detach the gateway, which EC2 refuses while the VPC has public addresses
UNCHANGEABLE = ("AWS::EC2::VPCGatewayAttachment",)
QUICK = "AWS::FSx::FileSystem"
ALL = [kind if kind == QUICK else pytest.param(kind, marks=pytest.mark.long) for kind in sorted(TYPES)]


@dataclass
class Cloud:
    """A bootstrapped account with one profile's stack in it."""

    local: LocalCloud
    profile: str

    @property
    def name(self) -> str:
        return self.profile.partition(".")[0]

    def deploy(self, body: Mapping[str, Any], *, rollback: bool = True) -> Stack:
        stack: Stack = self.local.deploy(REGION, self.name, json.dumps(body), rollback=rollback)
        return stack

    @property
    def things(self) -> set[str]:
        return inventory(self.local, REGION)

    def delete(self, stack: Stack) -> None:
        self.local.backend(REGION).delete(stack)


@pytest.fixture
def cloud(resource_type: str) -> Iterator[Cloud]:
    with local_cloud() as local:
        ssm = local.client("ssm", REGION)
        ssm.put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Type="String", Value="30")
        put_assets_of(local, REGION, TYPES[resource_type])
        yield Cloud(local, TYPES[resource_type])


def failures(stack: Stack, since: int = 0) -> list[tuple[str, str, str]]:
    return [(e.logical_id, e.status, e.reason or "") for e in stack.events[since:] if "FAILED" in e.status]


def test_the_matrix_has_every_type_of_the_built_in_templates() -> None:
    everywhere = {
        declared["Type"]
        for path in (ROOT / "tests" / "snapshots").glob("*.template.json")
        for declared in json.loads(path.read_text(encoding="utf-8"))["Resources"].values()
    }
    assert set(TYPES) == everywhere


@pytest.mark.parametrize("resource_type", ALL)
def test_a_creation_that_fails_leaves_nothing_and_the_next_one_succeeds(
    cloud: Cloud, resource_type: str
) -> None:
    before, body = cloud.things, snapshot(cloud.profile)
    cloud.local.faults.inject(Fault(kind="refused", type=resource_type, action="create", times=1))
    stack = cloud.deploy(body)
    assert stack.status == "ROLLBACK_COMPLETE", failures(stack)
    failed, status, reason = failures(stack)[0]
    assert (body["Resources"][failed]["Type"], status) == (resource_type, "CREATE_FAILED")
    assert "InvalidRequest" in reason
    assert f"[{failed}" in next(e.reason or "" for e in stack.events if e.status == "ROLLBACK_IN_PROGRESS")
    kept = {e.physical_id for e in stack.events if e.status == "DELETE_SKIPPED"}
    meant = {name for name, d in body["Resources"].items() if d.get("DeletionPolicy") == "Retain"}
    assert {e.logical_id for e in stack.events if e.status == "DELETE_SKIPPED"} <= meant
    assert {thing for thing in cloud.things - before if thing.partition("/")[2] not in kept} == set()
    cloud.delete(stack)  # as the CDK CLI does before it creates anew
    again = cloud.deploy(body)
    assert again.status == "CREATE_COMPLETE", failures(again)


@pytest.mark.long
@pytest.mark.parametrize("resource_type", ALL)
def test_a_creation_that_fails_without_rollback_goes_on_where_it_stood(
    cloud: Cloud, resource_type: str
) -> None:
    body = snapshot(cloud.profile)
    cloud.local.faults.inject(Fault(kind="refused", type=resource_type, action="create", times=1))
    stack = cloud.deploy(body, rollback=False)
    assert stack.status == "CREATE_FAILED"
    made = {name: resource.physical_id for name, resource in stack.resources.items()}
    stack = cloud.deploy(body, rollback=False)
    assert stack.status == "UPDATE_COMPLETE", failures(stack)
    assert made.items() <= {n: r.physical_id for n, r in stack.resources.items()}.items()
    assert set(stack.resources) == set(body["Resources"])


def by_effect(body: Mapping[str, Any], resource_type: str) -> dict[str, Edit]:
    """An edit in place and one that replaces, as far as the type has such that a service takes."""
    found: dict[str, Edit] = {}
    accepted = set()
    candidates = [e for e in edits(body, REGION) if e.type == resource_type and not e.remove]
    for edit in sorted(candidates, key=_harmless):
        if len(found) == 2 or edit.name in accepted:
            continue
        review = reviewed(body, edit.applied(body), REGION)
        effect = predicted(review).get(edit.logical_id)
        if effect in ("changed", "replaced") and not is_refused(review):
            accepted.add(edit.name)
            found.setdefault(effect, edit)
    return dict(sorted(found.items()))  # in place first: it is put back before the other


def _harmless(edit: Edit) -> int:
    order = ("Tags", "Description", "Sid", "Policies", "Alias", "Name")
    place = " ".join(edit.path)
    return next((number for number, word in enumerate(order) if word in place), len(order))


@pytest.mark.long
@pytest.mark.parametrize("resource_type", ALL)
def test_an_update_that_fails_goes_back_and_the_next_one_succeeds(cloud: Cloud, resource_type: str) -> None:
    body = with_spares(snapshot(cloud.profile))
    stack = cloud.deploy(body)
    assert stack.status == "CREATE_COMPLETE", failures(stack)
    found = by_effect(body, resource_type)
    assert bool(found) is (resource_type not in UNCHANGEABLE)
    for effect, edit in found.items():
        deleted_first = replaced_in_order(REGION, resource_type) == DELETED_FIRST and effect == "replaced"
        ids = {name: resource.physical_id for name, resource in stack.resources.items()}
        things, since = cloud.things, len(stack.events)
        action: Any = "update" if effect == "changed" else "create"
        cloud.local.faults.inject(Fault(kind="refused", logical_id=edit.logical_id, action=action, times=1))
        cloud.deploy(edit.applied(body))
        assert stack.status == "UPDATE_ROLLBACK_COMPLETE", failures(stack, since)
        assert failures(stack, since)[0][:2] == (edit.logical_id, "UPDATE_FAILED")
        if not deleted_first:  # what had to go first is made again, with another id
            assert {name: resource.physical_id for name, resource in stack.resources.items()} == ids
            assert cloud.things == things
        assert len(cloud.things) == len(things)
        ids = {name: resource.physical_id for name, resource in stack.resources.items()}
        cloud.deploy(edit.applied(body))
        assert stack.status == "UPDATE_COMPLETE", (edit.name, failures(stack, since)[-2:])
        replaced = stack.resources[edit.logical_id].physical_id != ids[edit.logical_id]
        assert replaced is (effect == "replaced"), edit.name
        if effect == "changed":
            cloud.deploy(body)
            assert stack.status == "UPDATE_COMPLETE", failures(stack, since)[-2:]
