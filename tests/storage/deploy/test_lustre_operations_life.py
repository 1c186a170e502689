"""The function that sets root squash and imports from S3, over the life that CloudFormation gives it."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.cloud.custom.environment import Environment
from scripts.cloud.local import LocalCloud
from tests.cloud.custom.handler_lifecycle import exercise
from tests.cloud.lustre_place import PATHS, REGION, SQUASH, TASK, Place
from ultracluster.storage import lustre_operations_handler as operations


@pytest.fixture
def place(local: LocalCloud) -> Place:
    return Place(local)


@pytest.fixture
def environment(local: LocalCloud) -> Environment:
    return Environment(account_id=local.account, region=REGION)


def of_type(resource_type: str) -> Any:
    """Return the handler for `exercise`, which supports one resource type."""
    return lambda event, context: operations.handler({**event, "ResourceType": resource_type}, context)


@pytest.mark.long
@pytest.mark.parametrize(("keep", "left"), [(False, "0:0"), (True, "65534:65534")])
def test_root_squash_stands_every_repetition(
    place: Place, environment: Environment, keep: bool, left: str
) -> None:
    create = {
        "FileSystemId": place.id,
        "RootSquash": "65534:65534",
        "NoSquashNids": [],
        "KeepOnDelete": str(keep).lower(),
    }
    changed = {**create, "RootSquash": "1000:1000", "NoSquashNids": ["10.0.1.6@tcp"]}
    report = exercise(of_type(SQUASH), environment, create=create, changed=changed)
    assert report.problems == []
    assert not report.replaced
    assert place.squash() == {"RootSquash": left, "NoSquashNids": []}


def test_an_import_task_stands_every_repetition_and_none_is_left(
    place: Place, environment: Environment
) -> None:
    create = {"FileSystemId": place.id, "Paths": PATHS[:1]}
    report = exercise(of_type(TASK), environment, create=create, changed={**create, "Paths": PATHS})
    assert report.problems == []
    assert not report.replaced
    # the repeated creation and the repeated change started nothing
    assert place.tasks() == [(PATHS[:1], "CANCELED"), (PATHS, "CANCELED"), (PATHS[:1], "CANCELED")]


@pytest.mark.parametrize("kind", [SQUASH, TASK])
def test_a_file_system_that_is_gone_has_nothing_to_delete(
    place: Place, environment: Environment, kind: str
) -> None:
    place.fsx.delete_file_system(FileSystemId=place.id)
    properties = {"FileSystemId": place.id, "RootSquash": "1:1", "Paths": PATHS}
    report = exercise(of_type(kind), environment, create=properties, changed=properties)
    steps = {step.name: step.problem for step in report.steps}
    assert f"{place.id} does not exist" in str(steps["create"])
    assert steps["delete of what never existed"] is None
