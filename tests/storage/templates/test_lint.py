"""Templates of every kind of storage, with all settings, are ones that cfn-lint and our own rules take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from config.cluster import load_cluster
from scripts.tools.fuzz.checks.templates import check_template
from tests.conftest import Synthesized
from tests.stack.storage_profiles import PROFILES, kinds_of, profile

QUICK = "everything"


@pytest.mark.long
@pytest.mark.synth
@pytest.mark.parametrize(
    "row", [pytest.param(row, marks=() if row == QUICK else pytest.mark.long) for row in PROFILES]
)
def test_the_template_is_one_that_the_linter_and_our_rules_take(
    row: str, tmp_path: Path, synthesized: Callable[[str], Synthesized]
) -> None:
    file = tmp_path / f"{row}.yaml"
    file.write_text(yaml.safe_dump(profile(row)), encoding="utf-8")
    design = load_cluster(str(file)).design
    assert design is not None
    made = synthesized(str(file))
    assert [finding.observed for finding in check_template(design, made.text)] == []
    lustre = [
        system["Properties"]
        for system in made.resources("AWS::FSx::FileSystem").values()
        if system["Properties"]["FileSystemType"] == "LUSTRE"
    ]
    assert {(s["LustreConfiguration"]["DeploymentType"], s.get("StorageType", "SSD")) for s in lustre} == {
        tuple(word.upper().replace("-", "_") for word in kind) for kind in kinds_of(row)
    }


def test_every_kind_of_the_catalogue_has_a_row() -> None:
    from config.catalog import catalog

    every = {(kind.deployment, kind.storage) for kind in catalog().lustre.kinds}
    assert every == frozenset[tuple[str, str]]().union(*map(kinds_of, PROFILES))
