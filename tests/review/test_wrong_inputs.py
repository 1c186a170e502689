"""Every wrong input gets one message that says what to write instead."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.review.support import ONE, Repository, assembly, git, problems, write

BOMB = (
    f"Metadata:\n  a: &a [{'1,' * 99}]\n  b: &b [{'*a,' * 99}]\n  c: &c [{'*b,' * 99}]\n"
    "Resources: {A: {Type: T}}\n"
)
WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("no_such_file", {}, "lost.json", "not a file, a folder or a built-in profile"),
    ("a_profile_misspelt", {}, "p6-b20", "did you mean p6-b200"),
    ("a_folder_without_manifest", {"a/x.json": "{}"}, "a", "has no manifest.json"),
    ("no_text", {"a.json": "\udcff"}, "a.json", "not UTF-8 text"),
    ("neither", {"a.json": "[1, 2]"}, "a.json", "neither a template nor a profile"),
    ("an_empty_file", {"a.json": ""}, "a.json", "neither a template nor a profile"),
    ("broken_json", {"a.json": '{"Resources": {'}, "a.json", "not well-formed"),
    ("no_resources", {"a.json": '{"Resources": {}}'}, "a.json", "At least one Resources member"),
    (
        "resources_that_are_a_list",
        {"a.json": '{"Resources": [1]}'},
        "a.json",
        "not a valid CloudFormation template",
    ),
    ("no_type", {"a.json": {"Resources": {"A": {}}}}, "a.json", "must contain a Type member"),
    (
        "properties_that_are_a_list",
        {"a.json": {"Resources": {"A": {"Type": "T", "Properties": [1]}}}},
        "a.json",
        "Resources/A/Properties is not a mapping",
    ),
    (
        "depends_on_a_number",
        {"a.json": {"Resources": {"A": {"Type": "T", "DependsOn": 1}}}},
        "a.json",
        "Resources/A/DependsOn is not a logical id",
    ),
    (
        "parameters_that_are_text",
        {"a.json": {**ONE, "Parameters": "a"}},
        "a.json",
        "Parameters is not a mapping",
    ),
    (
        "an_output_that_is_text",
        {"a.json": {**ONE, "Outputs": {"O": "a"}}},
        "a.json",
        "Outputs/O is not a mapping",
    ),
    ("another_section", {"a.json": {**ONE, "Resorces": {}}}, "a.json", "Resorces"),
    (
        "a_transform",
        {"a.json": {**ONE, "Transform": "AWS::Serverless"}},
        "a.json",
        "only CloudFormation can expand it",
    ),
    ("numbers_as_names", {"a.yaml": "Resources: {A: {Type: T}}\n1: 2\n"}, "a.yaml", "properties ['1']"),
    (
        "an_endless_alias",
        {"a.yaml": "Resources: &a {A: {Type: T, Properties: *a}}\n"},
        "a.yaml",
        "nested too deeply",
    ),
    ("a_bomb_of_aliases", {"a.yaml": BOMB}, "a.yaml", "too large after its YAML aliases"),
    (
        "nested_without_end",
        {"a.json": '{"Resources": ' + '{"a":' * 5000 + "1" + "}" * 5001},
        "a.json",
        "not a valid CloudFormation template",
    ),
    ("a_large_file", {"a.json": " " * 1_048_577}, "a.json", "larger than the 1048576 bytes"),
    (
        "a_pointer_of_lfs",
        {"a.json": "version https://git-lfs.github.com/spec/v1\n"},
        "a.json",
        "a Git LFS pointer",
    ),
    (
        "a_manifest_of_something_else",
        {"a/manifest.json": '{"name": "app"}'},
        "a",
        "not the manifest of a cloud assembly",
    ),
    ("a_broken_manifest", {"a/manifest.json": "{"}, "a", "not the manifest of a cloud assembly"),
    ("a_manifest_without_stacks", {"a/manifest.json": '{"artifacts": {}}'}, "a", "has no stacks"),
    (
        "an_incomplete_artifact",
        {"a/manifest.json": '{"artifacts": {"s": {"type": "aws:cloudformation:stack"}}}'},
        "a",
        "the artifact s is incomplete",
    ),
    ("a_lost_template", {"a/manifest.json": assembly({"s": ONE})["manifest.json"]}, "a", "s.template.json"),
    (
        "a_template_elsewhere",
        {"a/manifest.json": assembly({"../../s": ONE})["manifest.json"]},
        "a",
        "is outside of the assembly",
    ),
    ("a_path_too_long", {}, "a" * 5000, "not a file, a folder"),
    ("a_path_with_nul", {}, "a\0b", "not a file, a folder"),
    ("a_wrong_profile", {"a.yaml": "extends: p6-b200\nname: Wrong Name\n"}, "a.yaml", "error[PRO016] name"),
    ("nothing", {}, "", "has no manifest.json"),
]


@pytest.mark.parametrize(("files", "argument", "message"), [r[1:] for r in WRONG], ids=[r[0] for r in WRONG])
def test_a_wrong_input_is_one_message_that_says_what_is_wrong(
    tmp_path: Path, files: dict[str, Any], argument: str, message: str
) -> None:
    for name, content in files.items():
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        target.write_bytes(text.encode("utf-8", "surrogateescape"))
    write(tmp_path, {"good.json": ONE})
    (said,) = [line for line in problems(tmp_path, argument, "good.json") if message in line]
    assert said.startswith("OLD ")


def test_the_problems_of_both_inputs_are_reported_at_once(tmp_path: Path) -> None:
    wrong = {"Resources": {"A": {"Type": "T", "Properties": 1, "DependsOn": 2}}}
    write(tmp_path, {"a.json": wrong})
    said = problems(tmp_path, "a.json", "lost")
    assert [line.split(" ", 1)[0] for line in said] == ["OLD", "OLD", "NEW"]


def test_all_problems_of_an_assembly_are_reported_at_once(tmp_path: Path) -> None:
    files = assembly({"s": {"Resources": {}}, "t": {"Resources": {"A": {}}}})
    assert len(problems(write(tmp_path, files), ".", "lost")) == 3


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in problems(tmp_path, "pipe", "pipe")[0]


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("v9:a.json", "'v9' is not a revision"),
        ("v0:lost.json", "lost.json does not exist in v0"),
        ("v0:../../a.json", "outside of the repository"),
        ("v0:/etc/hosts", "outside of the repository"),
        ("--help:a.json", "is not a revision"),
        (":a.json", "is not a revision"),
        ("v0", "write v0:PATH, or add --profile PATH"),
        ("v0:folder", "has no manifest.json"),
        ("v0:", "has no manifest.json"),
        ("v0:link.json", "is a symbolic link"),
        ("v0:large.json", "larger than"),
    ],
    ids=lambda value: value[:20],
)
def test_a_wrong_revision_says_what_to_write(repository: Repository, argument: str, message: str) -> None:
    folder = repository({"a.json": ONE, "folder/b.json": ONE, "large.json": " " * 1_100_000})
    (folder / "link.json").symlink_to("a.json")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=a link")
    git(folder, "tag", "--force", "v0")
    (said,) = problems(folder, argument, "a.json")
    assert message in said


def test_outside_of_a_repository_a_revision_says_so(tmp_path: Path) -> None:
    write(tmp_path, {"a.json": ONE})
    (said,) = problems(tmp_path, "main:a.json", "a.json")
    assert "is not in a git repository" in said


def test_without_git_a_revision_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    write(tmp_path, {"a.json": ONE})
    (said,) = problems(tmp_path, "main:a.json", "a.json")
    assert "git is not installed" in said


def test_a_profile_of_a_revision_has_no_revision_of_a_built_in_one(repository: Repository) -> None:
    folder = repository({"a.json": ONE})
    said = problems(folder, "v0", "v0", profile="p6-b200")
    assert all("is a built-in profile" in line for line in said)
    (said_of_path,) = problems(folder, "v0", "a.json", profile="lost.yaml")
    assert "lost.yaml does not exist in v0" in said_of_path
