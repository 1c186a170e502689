"""Every stack of a release that is kept updates to the present code, and keeps what it holds."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from config.profile.source.reference import built_in_names
from config.review.stateful import STATEFUL
from scripts.cloud.local import LocalCloud, local_cloud
from scripts.tools.upgrades.__main__ import main
from scripts.tools.upgrades.baseline import (
    Baseline,
    FrozenStack,
    read_baseline,
    releases,
    write_baseline,
)
from scripts.tools.upgrades.check import Present, Upgrade, reviewed, stands_on
from scripts.tools.upgrades.freeze import freeze
from tests.conftest import ROOT, Synthesized

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

QUICK = ("p6-b200", None)
STACKS = [(release, stack) for release in releases() for stack in read_baseline(release).stacks]
BASELINES = [
    pytest.param(
        release,
        stack,
        id=f"{release}-{stack.title}",
        marks=() if (stack.profile, stack.orchestrator) == QUICK else pytest.mark.long,
    )
    for release, stack in STACKS
]
Tried = Callable[[str, str | None], Synthesized]


@pytest.fixture
def local() -> Iterator[LocalCloud]:
    with local_cloud() as cloud:
        yield cloud


def stateful_ids(template: Mapping[str, Any], kinds: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Logical id and type of every resource of these types."""
    for name, resource in template["Resources"].items():
        if resource["Type"] in kinds:
            yield name, resource["Type"]


def now(tried: Tried, frozen: FrozenStack) -> Present:
    made = tried(frozen.profile, frozen.orchestrator)
    cluster = load_cluster(frozen.profile, orchestrator=frozen.orchestrator)
    assert cluster.design is not None, [d.message for d in cluster.diagnostics if d.stops]
    return Present(cluster=cluster, template=made.text, folder=made.folder)


@pytest.mark.parametrize(("release", "frozen"), BASELINES)
def test_a_stack_of_a_release_updates_and_keeps_what_it_holds(
    release: str, frozen: FrozenStack, local: LocalCloud, tried: Tried, tmp_path: Path
) -> None:
    present = now(tried, frozen)
    upgrade = Upgrade(local, tmp_path)
    foundation = stands_on(read_baseline(release), present.cluster)
    if foundation is not None:
        assert upgrade.problems(foundation, now(tried, foundation)) == []
    assert upgrade.problems(frozen, present) == []
    assert reviewed(frozen, present.template) == []


def test_a_release_is_kept_with_every_built_in_profile() -> None:
    assert releases(), "`python -m scripts.tools.upgrades freeze` makes the first"
    for release in releases():
        kept = read_baseline(release)
        assert {stack.profile for stack in kept.stacks} <= set(built_in_names())
        assert len({(stack.profile, stack.orchestrator) for stack in kept.stacks}) == len(kept.stacks)
        assert {stack.orchestrator for stack in kept.stacks} >= {None, "eks", "pcs", "hyperpod-eks"}
        # what a stack is deployed with is there too
        for stack in kept.stacks:
            sources = {entry["source"]["path"] for entry in stack.assets["files"].values()}
            assert sources == set(stack.files)


def renamed(template: dict[str, Any], logical_id: str) -> dict[str, Any]:
    """The template with another logical id for one resource, as a refactoring would leave it."""
    text = json.dumps(template)
    moved: dict[str, Any] = json.loads(text.replace(f'"{logical_id}"', f'"{logical_id}Moved"'))
    return moved


FILE_SYSTEM = "AWS::FSx::FileSystem"


def another_deployment_type(template: dict[str, Any]) -> None:
    (system,) = (r for r in template["Resources"].values() if r["Type"] == FILE_SYSTEM)
    lustre = system["Properties"]["LustreConfiguration"]
    lustre["DeploymentType"] = "PERSISTENT_1"


def another_key(template: dict[str, Any]) -> None:
    (system,) = (r for r in template["Resources"].values() if r["Type"] == FILE_SYSTEM)
    system["Properties"]["KmsKeyId"] = "arn:aws:kms:us-west-2:123456789012:key/other"


def no_buckets(template: dict[str, Any]) -> None:
    for name, kind in list(stateful_ids(template, {"AWS::S3::Bucket": ""})):
        del template["Resources"][name], kind
    template["Resources"] = {
        name: resource
        for name, resource in template["Resources"].items()
        if resource["Type"] not in ("AWS::S3::BucketPolicy", "AWS::FSx::DataRepositoryAssociation")
    }


def frozen_stack(profile: str, orchestrator: str | None = None) -> FrozenStack:
    frozen = read_baseline(releases()[0]).stack(profile, orchestrator)
    assert frozen is not None
    return frozen


@pytest.mark.parametrize("kind", sorted({"AWS::FSx::FileSystem", "AWS::S3::Bucket", "AWS::APS::Workspace"}))
def test_another_logical_id_of_what_has_state_is_reported(kind: str) -> None:
    frozen = frozen_stack("p6-b200")
    for name, _ in stateful_ids(frozen.template, {kind: ""}):
        found = reviewed(frozen, json.dumps(renamed(dict(frozen.template), name)))
        assert any(name in reported for reported in found), (name, found)


@pytest.mark.parametrize("plant", [another_deployment_type, another_key, no_buckets])
def test_a_replacement_and_a_deletion_of_what_has_state_are_reported(
    plant: Callable[[dict[str, Any]], None],
) -> None:
    frozen = frozen_stack("p6-b200")
    template = copy.deepcopy(dict(frozen.template))
    plant(template)
    assert reviewed(frozen, json.dumps(template))


def test_the_same_template_is_an_update_without_a_finding() -> None:
    for _, frozen in STACKS[:3]:
        assert reviewed(frozen, json.dumps(frozen.template)) == []


@pytest.mark.long
def test_a_tag_more_on_everything_is_an_upgrade(local: LocalCloud, tried: Tried, tmp_path: Path) -> None:
    frozen = frozen_stack("p6-b200-data")
    present = now(tried, frozen)
    template = json.loads(present.template)
    for resource in template["Resources"].values():
        if isinstance(resource.get("Properties", {}).get("Tags"), list):
            resource["Properties"]["Tags"].append({"Key": "zz-of-the-next-release", "Value": "yes"})
    tagged = Present(cluster=present.cluster, template=json.dumps(template), folder=present.folder)
    assert tagged.template != json.dumps(frozen.template)
    assert Upgrade(local, tmp_path).problems(frozen, tagged) == []
    assert reviewed(frozen, tagged.template) == []


@pytest.mark.long
def test_a_deployment_that_moves_the_file_system_is_reported_by_the_cloud_too(
    local: LocalCloud, tried: Tried, tmp_path: Path
) -> None:
    frozen = frozen_stack("p6-b200-data")
    present = now(tried, frozen)
    ((name, _),) = stateful_ids(frozen.template, {FILE_SYSTEM: ""})
    template = renamed(json.loads(present.template), name)
    moved = Present(cluster=present.cluster, template=json.dumps(template), folder=present.folder)
    found = Upgrade(local, tmp_path).problems(frozen, moved)
    assert any(name in reported for reported in found), found


def test_every_release_keeps_what_has_state_in_every_cluster_profile() -> None:
    for release, stack in STACKS:
        kinds = {kind for _, kind in stateful_ids(stack.template, STATEFUL)}
        assert kinds, (release, stack.title)


def test_what_is_kept_is_read_as_it_was_and_written_the_same_again(tmp_path: Path) -> None:
    kept = read_baseline(releases()[0])
    few = Baseline(release="some", commit=kept.commit, stacks=kept.stacks[:2])
    first = write_baseline(few, tmp_path).read_bytes()
    assert read_baseline("some", tmp_path) == few
    assert write_baseline(few, tmp_path).read_bytes() == first


def test_assets_are_laid_out_as_they_were(tmp_path: Path) -> None:
    frozen = frozen_stack("p6-b200")
    frozen.write(tmp_path)
    handlers = [path for path in tmp_path.rglob("handler.py") if path.read_text(encoding="utf-8")]
    assert handlers
    assert json.loads((tmp_path / "p6-b200.template.json").read_text()) == frozen.template


def test_a_revision_that_is_none_cannot_be_frozen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["freeze", "no-such-revision", "--release", "9.9.9"]) == 2
    assert "no-such-revision is not a commit or tag" in capsys.readouterr().err
    assert "9.9.9" not in releases()


def test_the_releases_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == releases()


@pytest.mark.long
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="an export of the repository has no revisions")
def test_the_present_revision_can_be_frozen(tmp_path: Path) -> None:
    file = freeze("HEAD", "next", tmp_path, only="p6-b200-data")
    (stack,) = read_baseline("next", tmp_path).stacks
    assert (stack.title, stack.name, stack.region) == ("p6-b200-data", "p6-b200-data", "us-west-2")
    assert file.name == "next.json.xz"


@pytest.mark.long
def test_the_command_tells_each_stack(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--profile", "p6-b200-data"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{release} p6-b200-data: updates without losing data" for release in releases()]
