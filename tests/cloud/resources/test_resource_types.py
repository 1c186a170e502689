"""Every resource type that the embedded cloud plays: its life from creation to deletion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from scripts.cloud.local import LocalCloud, local_cloud
from scripts.cloud.resources.base import UnreadableError
from scripts.cloud.resources.registry import modelled_types
from scripts.cloud.template.provider_schemas import schema_of
from scripts.cloud.template.schema import NO_SCHEMA
from tests.cloud.examples.deployed import Deployed
from tests.cloud.examples.example import Example
from tests.cloud.examples.table import EXAMPLES

REGION = "us-east-1"


@pytest.fixture(scope="module")
def module_cloud() -> Iterator[LocalCloud]:
    with local_cloud() as cloud:
        cloud.client("s3", REGION).create_bucket(Bucket="layers")
        cloud.client("s3", REGION).put_object(Bucket="layers", Key="kubectl.zip", Body=b"layer")
        yield cloud


def test_there_is_one_example_of_every_type() -> None:
    assert sorted(example.type for example in EXAMPLES) == modelled_types()


@pytest.mark.sample(24)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.type)
def test_a_resource_lives_from_creation_to_deletion(example: Example, deployed: Deployed) -> None:
    stack = deployed.deploy(example.resources())
    made = stack.resources["Subject"]
    assert made.physical_id
    assert _missing_attributes(example, made) == set()

    if not example.drifts:
        with pytest.raises(UnreadableError):
            deployed.read(stack)
    before = deployed.read(stack) if example.drifts else None
    if example.drifts:
        assert before is not None
        assert deployed.read(stack) == before

    if example.change is not None and example.seen is not None:
        changed = deployed.deploy(example.resources(**example.change)).resources["Subject"]
        assert changed.physical_id == made.physical_id
        assert example.seen(deployed.client, made.physical_id) == example.expected
        assert deployed.read(stack) != before
        made = changed

    deployed.delete(stack)
    if example.drifts:
        assert deployed.read_resource(stack, made) is None


def _missing_attributes(example: Example, made: Any) -> set[str]:
    """Read-only properties of the schema that the resource does not tell, but for those left out."""
    if example.type in NO_SCHEMA:
        return set()
    paths = schema_of(REGION, example.type).get("readOnlyProperties", [])
    # what is read-only inside a list has no name for Fn::GetAtt
    names = {path.removeprefix("/properties/") for path in paths if "*" not in path}
    reported = {name for name in names if _reported(made.attributes, name.split("/"))}
    return {name for name in names - reported if name.split("/")[0] not in example.not_reported}


def _reported(attributes: Mapping[str, Any], path: list[str]) -> bool:
    value: Any = attributes
    for part in path:
        if not isinstance(value, Mapping) or part not in value:
            return False
        value = value[part]
    return True
