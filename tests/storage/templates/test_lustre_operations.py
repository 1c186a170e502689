"""Root squash and import tasks in the templates of profiles."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Synthesized

pytestmark = pytest.mark.synth

SQUASH, LINK = "Custom::LustreRootSquash", "AWS::FSx::DataRepositoryAssociation"
LINKS = [
    {"path": "/datasets", "bucket": "new", "import": ["new"], "import_metadata_on_create": True},
    {"path": "/checkpoints", "bucket": "new", "export": ["new", "changed", "deleted"]},
]


def resources_of(
    tmp_path: Path, synthesized: Callable[[str], Synthesized], **declared: Any
) -> dict[str, dict[str, Any]]:
    squash = {"uid": 65534, "gid": 65534, "except_clients": ["10.0.1.6@tcp"]}
    storage = {"lustre": {"root_squash": squash, "data_repositories": LINKS}}
    file = tmp_path / "profile.yaml"
    profile = {"extends": "p6-b200", "name": "squashed", "storage": storage, **declared}
    file.write_text(yaml.safe_dump(profile), encoding="utf-8")
    template = synthesized(str(file)).template
    found: dict[str, dict[str, Any]] = template["Resources"]
    return found


def waits_for(resources: dict[str, dict[str, Any]], logical_id: str) -> set[str]:
    """Everything that is not made before this resource is complete."""
    found: set[str] = set()
    waiting = [logical_id]
    while waiting:
        named = f'"{waiting.pop()}"'
        new = {name for name, body in resources.items() if named in json.dumps(body)} - found
        found |= new
        waiting += new
    return found


def test_storage_17_root_squash_and_nodes_do_not_wait_for_a_link_that_lists_its_bucket(
    tmp_path: Path, synthesized: Callable[[str], Synthesized]
) -> None:
    resources = resources_of(tmp_path, synthesized)
    links = {name: body["Properties"] for name, body in resources.items() if body["Type"] == LINK}
    (listing,) = [name for name, link in links.items() if link["BatchImportMetaDataOnCreate"]]
    (quick,) = links.keys() - {listing}
    assert waits_for(resources, listing) == set()
    behind = {resources[name]["Type"] for name in waits_for(resources, quick)}
    assert SQUASH in behind
    assert len(behind) > 2, "nodes mount once root is squashed"


@pytest.mark.parametrize("disposable", [False, True])
def test_a_file_system_that_outlives_its_stack_keeps_its_root_squash(
    tmp_path: Path, synthesized: Callable[[str], Synthesized], disposable: bool
) -> None:
    resources = resources_of(tmp_path, synthesized, disposable=disposable)
    (squash,) = [body for body in resources.values() if body["Type"] == SQUASH]
    assert squash["Properties"]["KeepOnDelete"] is not disposable
