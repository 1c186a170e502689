"""cfn-lint over every template: no finding but the listed ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from cfnlint.api import lint  # type: ignore[import-untyped]  # has no types
from cfnlint.config import ManualArgs  # type: ignore[import-untyped]  # has no types

from config.cluster import load_cluster
from config.profile.source.reference import built_in_names
from tests.conftest import ROOT, Synthesized

EXCEPTIONS: list[dict[str, str]] = yaml.safe_load((ROOT / "tests/stack/lint_exceptions.yaml").read_text())


def findings(name: str, synthesized: Callable[[str], Synthesized]) -> list[Any]:
    """Errors, warnings, and I3011: stateful resources say what happens to them on delete and replacement."""
    design = load_cluster(name).design
    assert design is not None
    settings = ManualArgs(regions=[design.profile.region], mandatory_checks=["I3011"])
    found: list[Any] = lint(synthesized(name).text, config=settings)
    return found


def explains(exception: dict[str, str], profile: str, match: Any) -> bool:
    path: list[Any] = list(getattr(match, "path", None) or [])
    return (
        exception["profile"] == profile
        and exception["rule"] == match.rule.id
        and exception["resource"] in path
        and exception["value"] in match.message
    )


@pytest.mark.sample(1)
@pytest.mark.synth
@pytest.mark.parametrize("name", built_in_names())
def test_the_template_lints_clean(name: str, synthesized: Callable[[str], Synthesized]) -> None:
    found = findings(name, synthesized)
    unexplained = [match for match in found if not any(explains(entry, name, match) for entry in EXCEPTIONS)]
    assert not unexplained, "\n".join(
        f"{m.rule.id} line {m.linenumber}: {m.message[:300]}" for m in unexplained
    )
    stale = [
        entry
        for entry in EXCEPTIONS
        if entry["profile"] == name and not any(explains(entry, name, m) for m in found)
    ]
    assert not stale, f"take these out of lint_exceptions.yaml: {stale}"


@pytest.mark.synth
def test_the_linter_sees_a_wrong_template(synthesized: Callable[[str], Synthesized]) -> None:
    # the gate above would be worth nothing if the call were made wrongly
    text = synthesized("p6-b200").text.replace('"EfaEnabled"', '"EfaEnable"')
    assert any(
        match.rule.id.startswith("E") for match in lint(text, config=ManualArgs(regions=["us-west-2"]))
    )
