"""The findings of an example: a profile, a resource, a review or a preflight."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from config.cluster import Cluster, load_cluster
from config.profile.source.loader import load
from config.rules.codes import OF_PARALLELCLUSTER
from config.rules.example_rows import (
    AnyExample,
    PreflightExample,
    ProfileExample,
    ReviewExample,
    TemplateExample,
)
from config.rules.registry import Rule
from config.rules.slurm.shell_syntax import SYNTAX
from scripts.cli.review.inputs.side import Side, StackTemplate
from scripts.cli.review.report import Report, review_sides
from scripts.cli.shell import SHELL_RULES
from scripts.cloud.template.document import Template
from scripts.cloud.validation import Problem, Sibling, problems

if TYPE_CHECKING:
    from scripts.cli.preflight.all_checks import Report as Held

_REGION = "us-west-2"
_DAY = datetime(2027, 1, 10, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One finding of an example; it has the example's code."""

    path: str
    message: str
    hint: str


def said_of(example: AnyExample) -> list[Said]:
    """Return the findings that have the example's code; empty if the example is a good one."""
    return [
        Said(path=path, message=text, hint=hint)
        for code, path, text, hint in _reported(example)
        if code == example.code
    ]


def write_example(example: ProfileExample, folder: Path) -> None:
    """Write the files of an example profile to an empty folder."""
    for name, text in example.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def load_example(example: ProfileExample, folder: Path) -> Cluster:
    """Write the files of an example profile to an empty folder, and return its cluster."""
    write_example(example, folder)
    written = {rule.code.code for rule in OF_PARALLELCLUSTER}
    further: tuple[Rule, ...] = OF_PARALLELCLUSTER if example.code in written else ()
    further += SHELL_RULES if example.code == SYNTAX.code else ()
    return load_cluster(example.argument, orchestrator=example.orchestrator, base=folder, further=further)


def judge_example(example: TemplateExample, properties: Mapping[str, Any] | None = None) -> list[Problem]:
    """Return the problems of an example resource; `properties` replace the properties of the example."""
    siblings = {
        f"Other{number}": Sibling(kind, sibling_properties, frozenset({identity}))
        for number, (kind, identity, sibling_properties) in enumerate(example.beside)
    }
    checked = example.properties if properties is None else properties
    return problems(example.region, example.type, checked, siblings)


def review_example(example: ReviewExample) -> Report:
    """Return the review of an example's old and new stacks."""
    old, new = (
        Side(name, tuple(_stacks(side))) for name, side in (("OLD", example.old), ("NEW", example.new))
    )
    return review_sides(old, new, region=_REGION)


def preflight_example(example: PreflightExample) -> Held:
    """Return the findings for an example profile and recorded answers of AWS, on the examples' date."""
    # boto3 loads slowly, and only these examples need it
    from scripts.cli.preflight.all_checks import hold_against
    from scripts.cli.preflight.recorded import Recorded

    with TemporaryDirectory() as folder:
        cluster = load_example(example.profile, Path(folder))
        assert cluster.design is not None, [found.message for found in cluster.diagnostics]
        loaded = load(example.profile.argument, orchestrator=example.profile.orchestrator, base=Path(folder))
        return hold_against(
            cluster.design,
            loaded.layered,
            Recorded(answers=example.answers, place="the example"),
            account=example.account,
            on=example.on,
            now=_DAY,
        )


def _reported(example: AnyExample) -> Iterator[tuple[str | None, str, str, str]]:
    if isinstance(example, ProfileExample):
        with TemporaryDirectory() as folder:
            for found in load_example(example, Path(folder)).diagnostics:
                yield found.code, found.path, found.message, found.hint
    elif isinstance(example, PreflightExample):
        for found in preflight_example(example).diagnostics:
            yield found.code, found.path, found.message, found.hint
    elif isinstance(example, TemplateExample):
        for problem in judge_example(example):
            yield problem.code, problem.path, problem.message, problem.hint or ""
    else:
        for review in review_example(example).stacks:
            for found in review.diagnostics:
                yield found.code, found.path, found.message, found.hint


def _stacks(side: Any) -> Iterator[StackTemplate]:
    """Return the stacks of one side; the example has a list of stacks, one template, or resources."""
    for declared in side if isinstance(side, list) else [{"template": side}]:
        body = (
            declared["template"]
            if "Resources" in declared["template"]
            else {"Resources": declared["template"]}
        )
        more = {key: declared[key] for key in ("name", "region", "protected") if key in declared}
        yield StackTemplate(template=Template.parse(json.dumps(body)), **more)
