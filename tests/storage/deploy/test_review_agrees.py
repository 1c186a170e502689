"""What review predicts of storage is what a deployment does: edits of every kind and setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.cloud.agreement import Deployments, Subject, agree
from tests.cloud.edits import Edit, edits, removals, with_spares
from tests.conftest import Synthesized
from tests.stack.storage_profiles import PROFILES, profile

pytestmark = [pytest.mark.cloud, pytest.mark.synth, pytest.mark.long, pytest.mark.timeout(900)]

STORAGE = ("AWS::FSx::", "AWS::S3::Bucket", "AWS::S3Express::", "Custom::", "AWS::Lambda::Function")
# its network and file systems are others', of whose stacks there is nothing to edit
Make = Callable[[str], Subject]
ROWS = sorted(PROFILES.keys() - {"existing"})


@pytest.fixture
def made(tmp_path: Path, synthesized: Callable[[str], Synthesized]) -> Make:
    def make(row: str) -> Subject:
        file = tmp_path / f"{row}.yaml"
        declared = profile(row)
        declared["storage"]["lustre"].pop("key_arn", None)  # the stack's own key is there in any account
        file.write_text(yaml.safe_dump(declared), encoding="utf-8")
        made = synthesized(str(file))
        template = with_spares(made.template)
        return Subject(name=made.name, region="us-west-2", template=template, buckets=("our-corpus",))

    return make


@pytest.fixture
def deployments() -> Iterator[Deployments]:
    found = Deployments()
    yield found
    found.open.close()


def edits_of(subject: Subject) -> dict[str, Edit]:
    """One edit of each property of each kind of storage: a property of scratch is not one of persistent."""
    found: dict[str, Edit] = {}
    for edit in (*edits(subject.template, subject.region), *removals(subject.template)):
        if edit.type.startswith(STORAGE):
            found.setdefault(f"{kind_of(subject, edit.logical_id)}{edit.name}", edit)
    return found


def kind_of(subject: Subject, logical_id: str) -> str:
    declared = subject.template["Resources"][logical_id].get("Properties", {})
    if "LustreConfiguration" not in declared:
        return ""
    return f"{declared['LustreConfiguration']['DeploymentType']} {declared.get('StorageType', 'SSD')} "


@pytest.mark.parametrize("row", ROWS)
def test_review_agrees_with_the_deployment_of_every_edit_of_storage(
    row: str, made: Make, deployments: Deployments, subtests: pytest.Subtests
) -> None:
    """An edit that an earlier row has too is tried there."""
    earlier = {name for other in ROWS[: ROWS.index(row)] for name in edits_of(made(other))}
    subject = made(row)
    for name, edit in edits_of(subject).items():
        if name not in earlier:
            with subtests.test(edit=name):
                agree(deployments, subject, edit)
