"""Read a cloud assembly: the folder that `cdk synth` writes, with every stack in its manifest."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlparse

from scripts.cli.review.errors import UnusableError

from .side import StackTemplate
from .templates import parse
from .trees import Tree, read_text

MANIFEST = "manifest.json"
_HINT = "synthesize the app again: `cdk synth --output cdk.out`"
_MAX_NESTING = 8


def read_assembly(tree: Tree, folder: str) -> tuple[StackTemplate, ...]:
    """Return the stacks of an assembly by name; raises an error that lists all problems."""
    problems: list[str] = []
    stacks: dict[str, StackTemplate] = {}
    for name, found in _stacks(tree, folder, problems, 0):
        taken = name in stacks
        stacks[f"{name} ({found.region})" if taken else name] = found
    if problems:
        raise UnusableError(problems, _HINT)
    if not stacks:
        raise UnusableError([f"{tree.label(folder)} has no stacks"], _HINT)
    return tuple(stacks[name] for name in sorted(stacks))


def _stacks(tree: Tree, folder: str, problems: list[str], depth: int) -> Iterator[tuple[str, StackTemplate]]:
    label = tree.label(posixpath.join(folder, MANIFEST))
    try:
        artifacts = json.loads(read_text(tree, posixpath.join(folder, MANIFEST)))["artifacts"]
        items = sorted(artifacts.items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        problems.append(f"{label} is not the manifest of a cloud assembly")
        return
    for name, artifact in items:
        try:
            if artifact["type"] == "aws:cloudformation:stack":
                found = _stack(tree, folder, name, artifact)
                yield found.name or name, found
            elif artifact["type"] == "cdk:cloud-assembly" and depth < _MAX_NESTING:
                inner = _inside(folder, artifact["properties"]["directoryName"])
                yield from _stacks(tree, inner, problems, depth + 1)
        except (KeyError, TypeError, AttributeError):
            problems.append(f"{label}: the artifact {name} is incomplete")
        except UnusableError as error:
            problems += error.problems


def _stack(tree: Tree, folder: str, name: str, artifact: Any) -> StackTemplate:
    properties = artifact["properties"]
    path = _inside(folder, properties["templateFile"])
    place = urlparse(str(artifact.get("environment", "")))
    region = place.path.strip("/")
    return StackTemplate(
        template=parse(read_text(tree, path), tree.label(path)),
        name=str(properties.get("stackName", name)),
        region=region if region and region != "unknown-region" else None,
        account=place.netloc if place.netloc.isdigit() else None,
        protected=bool(properties.get("terminationProtection", False)),
    )


def _inside(folder: str, name: str) -> str:
    """Return a path in the assembly; raises for a path outside of it."""
    path = posixpath.normpath(name)
    if path.startswith(("..", "/")):
        raise UnusableError([f"{name} is outside of the assembly {folder}"])
    return posixpath.join(folder, path)
