"""Templates, folders and repositories of the tests, and what a review says of them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.cli.review import Review, review_templates
from scripts.cli.review.inputs.load import Options, UnusableInputsError, load_sides
from scripts.cli.review.inputs.side import Side
from scripts.cli.review.report import Report, review_sides
from scripts.cloud.template.document import Template
from tests.conftest import SNAPSHOTS

Body = dict[str, Any]
Repository = Callable[..., Path]


def template(resources: Body, **sections: Any) -> Template:
    return Template.parse(json.dumps({"Resources": resources, **sections}))


def reviewed(old: Body, new: Body, *, region: str = "us-west-2", **sections: Any) -> Review:
    """The review of two sets of resources with the same other sections."""
    return review_templates(template(old, **sections), template(new, **sections), region=region)


def codes(review: Review) -> list[str]:
    return [diagnostic.code for diagnostic in review.diagnostics]


def actions(review: Review) -> dict[str, str]:
    return {change.logical_id: change.action.value for change in review.changes}


def snapshot(name: str = "p6-b200") -> Body:
    body: Body = json.loads((SNAPSHOTS / f"{name}.template.json").read_text(encoding="utf-8"))
    return body


def only(body: Body, kind: str) -> str:
    """The logical id of the one resource of its type."""
    (logical_id,) = (name for name, declared in body["Resources"].items() if declared["Type"] == kind)
    return str(logical_id)


ONE: Body = {"Resources": {"A": {"Type": "AWS::SNS::Topic"}}}
TWO: Body = {"Resources": {"A": {"Type": "AWS::SNS::Topic"}, "B": {"Type": "AWS::SNS::Topic"}}}
YAML = "Resources:\n  A:\n    Type: AWS::SNS::Topic\n    Properties: {DisplayName: !Sub '${AWS::Region}-a'}\n"
REGION = "aws://unknown-account/us-west-2"


def sides(folder: Path, old: str, new: str, **options: Any) -> tuple[Side, Side]:
    return load_sides(old, new, Options(folder=folder, **options))


def report(folder: Path, old: str, new: str, **options: Any) -> Report:
    return review_sides(*sides(folder, old, new, **options))


def problems(folder: Path, old: str, new: str, **options: Any) -> list[str]:
    """Everything that is said of the inputs: `OLD x: problem (hint)`."""
    with pytest.raises(UnusableInputsError) as reported:
        sides(folder, old, new, **options)
    return [
        f"{side} {argument}: {problem} ({error.hint})"
        for side, argument, error in reported.value.problems
        for problem in error.problems
    ]


def write(folder: Path, files: Mapping[str, Any]) -> Path:
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder


def assembly(stacks: Mapping[str, Body], **more: Any) -> dict[str, Any]:
    """The files of a cdk.out folder."""
    artifacts = {
        name: {
            "type": "aws:cloudformation:stack",
            "environment": REGION,
            "properties": {"templateFile": f"{name}.template.json", **more},
        }
        for name in stacks
    }
    artifacts["tree"] = {"type": "cdk:tree"}
    files: dict[str, Any] = {f"{name}.template.json": body for name, body in stacks.items()}
    return {**files, "manifest.json": {"version": "48.0.0", "artifacts": artifacts}}


def inside(folder: str, files: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{folder}/{name}": content for name, content in files.items()}


def reported(found: Report) -> list[tuple[str | None, str, dict[str, int]]]:
    return [(review.stack, review.status, dict(review.counts)) for review in found.stacks]


_CONFIG = str(Path(__file__).with_name("gitconfig"))


def git(folder: Path, *arguments: str) -> None:
    person = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", "a"), ("EMAIL", "a@example.com"))
    }
    environment = {**os.environ, **person, "GIT_CONFIG_GLOBAL": _CONFIG, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, env=environment)
