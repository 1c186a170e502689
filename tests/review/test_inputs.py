"""What OLD and NEW can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scripts.cli.review.errors import UnusableError
from scripts.cli.review.report import review_sides
from tests.review.support import (
    ONE,
    TWO,
    YAML,
    Repository,
    assembly,
    inside,
    problems,
    report,
    reported,
    sides,
    write,
)


def test_templates_are_json_or_yaml(tmp_path: Path) -> None:
    write(tmp_path, {"a.json": ONE, "b.yaml": YAML, "c.template": TWO})
    assert reported(report(tmp_path, "a.json", "b.yaml")) == [(None, "changed", {"in-place": 1})]
    assert reported(report(tmp_path, "a.json", "c.template")) == [(None, "changed", {"add": 1})]
    assert reported(report(tmp_path, "a.json", str(tmp_path / "a.json"))) == [(None, "unchanged", {})]


def test_the_region_of_an_assembly_is_that_of_its_stack(tmp_path: Path) -> None:
    write(tmp_path, {"a.json": ONE, **inside("out", assembly({"s": ONE}))})
    assert report(tmp_path, "a.json", "out").stacks[0].region == "us-west-2"
    assert report(tmp_path, "out", "a.json").stacks[0].region == "us-west-2"
    assert report(tmp_path, "a.json", "a.json").stacks[0].region == "us-east-1"
    both = sides(tmp_path, "a.json", "a.json")
    assert review_sides(*both, region="eu-west-1").stacks[0].region == "eu-west-1"


def test_stacks_of_two_assemblies_are_compared_by_name(tmp_path: Path) -> None:
    write(tmp_path, inside("old", assembly({"same": ONE, "grows": ONE, "gone": ONE})))
    write(tmp_path, inside("new", assembly({"same": ONE, "grows": TWO, "fresh": TWO})))
    found = report(tmp_path, "old", "new")
    assert reported(found) == [
        ("fresh", "added", {"add": 2}),
        ("gone", "removed", {}),
        ("grows", "changed", {"add": 1}),
        ("same", "unchanged", {}),
    ]
    (removed,) = found.stacks[1].diagnostics
    assert (removed.code, removed.severity.value) == ("REV050", "warning")
    assert "remains deployed and is still billed" in removed.message
    assert found.exit_status == 0


def test_stacks_of_nested_assemblies_are_found(tmp_path: Path) -> None:
    outer: dict[str, Any] = {
        "version": "48.0.0",
        "artifacts": {
            "stage": {"type": "cdk:cloud-assembly", "properties": {"directoryName": "assembly-stage"}}
        },
    }
    write(tmp_path, {"out/manifest.json": outer, **inside("out/assembly-stage", assembly({"inner": ONE}))})
    old, _ = sides(tmp_path, "out", "out/manifest.json")
    assert [stack.name for stack in old.stacks] == ["inner"]


def test_two_stacks_of_other_names_are_compared_and_distinguished(tmp_path: Path) -> None:
    write(tmp_path, inside("old", assembly({"first": ONE})) | inside("new", assembly({"second": TWO})))
    (review,) = report(tmp_path, "old", "new").stacks
    assert (review.stack, review.counts) == ("second", {"add": 1})
    (found,) = review.diagnostics
    assert found.code == "REV051"
    assert "first in OLD and second in NEW" in found.message


def test_a_stack_that_loses_its_termination_protection_is_reported(tmp_path: Path) -> None:
    write(tmp_path, inside("old", assembly({"s": ONE}, terminationProtection=True)))
    write(tmp_path, inside("new", assembly({"s": ONE})))
    (review,) = report(tmp_path, "old", "new").stacks
    assert [(d.code, d.path) for d in review.diagnostics] == [("REV040", "s")]
    assert report(tmp_path, "new", "old").stacks[0].diagnostics == ()


def test_one_template_is_not_compared_with_several_stacks(tmp_path: Path) -> None:
    write(tmp_path, {"a.json": ONE, **inside("out", assembly({"s": ONE, "t": ONE}))})
    with pytest.raises(UnusableError, match=r"a.json is one template, out has 2 stacks: s, t"):
        report(tmp_path, "a.json", "out")


def test_templates_and_assemblies_are_read_at_git_revisions(repository: Repository) -> None:
    folder = repository(
        {"a.json": ONE, **inside("deep/out", assembly({"s": ONE}))},
        {"a.json": TWO, **inside("deep/out", assembly({"s": TWO}))},
    )
    grown = [("s", "changed", {"add": 1})]
    assert reported(report(folder, "v0:a.json", "main:a.json")) == [(None, "changed", {"add": 1})]
    assert reported(report(folder, "v0:deep/out", "v1:deep/out")) == grown
    assert reported(report(folder, "HEAD~1:deep/out", "deep/out")) == grown
    assert reported(report(folder / "deep", "v0:out", "v1:deep/out")) == grown
    assert reported(report(folder / "deep", "v0:../a.json", "v1:./out/s.template.json")) == [
        (None, "changed", {"add": 1})
    ]
    assert reported(report(folder, "v0:a.json", "v0:a.json")) == [(None, "unchanged", {})]


def test_the_work_tree_is_neither_read_nor_changed_by_a_revision(repository: Repository) -> None:
    folder = repository({"a.json": ONE})
    write(folder, {"a.json": "not a template at all"})
    assert reported(report(folder, "v0:a.json", "v0:a.json")) == [(None, "unchanged", {})]
    assert (folder / "a.json").read_text() == "not a template at all"


BASE = "extends: p5-dev\nname: base\n"
MINE = "extends: base.yaml\nname: mine\nstorage: {lustre: {capacity_gib: %d}}\n"


@pytest.mark.long
@pytest.mark.synth
def test_a_profile_at_two_revisions_brings_what_it_extends(repository: Repository) -> None:
    folder = repository(
        {"clusters/base.yaml": BASE, "clusters/mine.yaml": MINE % 4800},
        {"clusters/base.yaml": BASE, "clusters/mine.yaml": MINE % 9600},
        {"clusters/base.yaml": "this is no profile any more"},
    )
    (review,) = report(folder, "v0", "v1", profile="clusters/mine.yaml").stacks
    (change,) = review.changes
    assert review.stack == "mine"
    assert (change.type, change.properties) == ("AWS::FSx::FileSystem", ("StorageCapacity",))
    assert (change.edits[0].before, change.edits[0].after) == (4800, 9600)
    (said,) = problems(folder, "v0:clusters/mine.yaml", "v2:clusters/mine.yaml")
    assert said.startswith("NEW v2:clusters/mine.yaml")
    assert "base.yaml" in said


RESERVED = """\
extends: p6-b200-cluster
name: p6-b200-cluster
compute:
  groups:
    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}
    - {name: login, role: login, instance_type: m5.4xlarge, count: 1}
    - name: train
      role: compute
      instance_type: p6-b200.48xlarge
      count: 16
      capacity:
        kind: training-plan
        arn: arn:aws:sagemaker:us-west-2:123456789012:training-plan/example
        availability_zone_id: usw2-az2
        instances: 17
"""


@pytest.mark.long
@pytest.mark.synth
def test_a_built_in_profile_is_compared_with_one_that_extends_it(tmp_path: Path) -> None:
    write(tmp_path, {"mine.yaml": RESERVED})
    (review,) = report(tmp_path, "p6-b200-cluster", "mine.yaml").stacks
    (change,) = review.changes
    assert (change.action.value, change.attributes) == ("untouched", ("Metadata",))
    # what the rules say of 17 machines, which nobody said of the built-in one
    assert [found.code for found in review.diagnostics] == ["CAP020"]


def test_a_stack_of_another_name_is_reported_first_and_loses_nothing(tmp_path: Path) -> None:
    bucket = {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "one"}}
    other = {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "two"}}
    write(tmp_path, inside("old", assembly({"first": {"Resources": {"A": bucket}}})))
    write(tmp_path, inside("new", assembly({"second": {"Resources": {"A": other}}})))
    found = report(tmp_path, "old", "new")
    assert [d.code for stack in found.stacks for d in stack.diagnostics] == ["REV051"]
