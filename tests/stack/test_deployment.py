"""What an account asks of deployments is in every template: a boundary on each role, its own bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from config.profile.orchestrator import ORCHESTRATORS
from config.profile.source.reference import built_in_names
from tests.conftest import Synthesized

pytestmark = pytest.mark.synth

BY_ARN = "arn:aws:iam::aws:policy/PowerUserAccess"
COMBINATIONS = [(name, orchestrator) for name in built_in_names() for orchestrator in (None, *ORCHESTRATORS)]
QUICK = {("p6-b200", None), ("p5-dev", "pcs"), ("p5-dev", "hyperpod-eks")}
Tried = Callable[[str, str | None], Synthesized]


def bounded(folder: Path, name: str, boundary: str) -> str:
    file = folder / "bounded.yaml"
    declared = f"{{permissions_boundary: {boundary!r}, qualifier: acme01}}"
    file.write_text(f"extends: {name}\nname: {name}\ndeployment: {declared}\n", encoding="utf-8")
    return str(file)


def boundaries(template: dict[str, Any]) -> list[Any]:
    roles = [r for r in template["Resources"].values() if r["Type"] in ("AWS::IAM::Role", "AWS::IAM::User")]
    return [role["Properties"].get("PermissionsBoundary") for role in roles]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "orchestrator"),
    [pair if pair in QUICK else pytest.param(*pair, marks=pytest.mark.long) for pair in COMBINATIONS],
)
def test_every_role_has_the_boundary(
    name: str, orchestrator: str | None, tried: Tried, tmp_path: Path
) -> None:
    if load_cluster(name, orchestrator=orchestrator).design is None:
        pytest.skip("a rule refuses it")
    stack = tried(bounded(tmp_path, name, BY_ARN), orchestrator)
    found = boundaries(stack.template)
    assert found == [BY_ARN] * len(found)
    # and nothing else of the template is another one: the roles of CDK's own functions are among them
    plain = tried(name, orchestrator)
    assert stack.template["Resources"].keys() == plain.template["Resources"].keys()
    assert set(boundaries(plain.template)) <= {None}


def test_a_boundary_by_name_is_of_the_account_that_is_deployed_to(
    synthesized: Callable[[str], Synthesized], tmp_path: Path
) -> None:
    found = boundaries(synthesized(bounded(tmp_path, "p6-b200", "teams/hpc-boundary")).template)
    assert found
    parts = ["arn:aws:iam::", {"Ref": "AWS::AccountId"}, ":policy/teams/hpc-boundary"]
    assert found == [{"Fn::Join": ["", parts]}] * len(found)


def test_nothing_of_the_default_bootstrap_is_left(
    synthesized: Callable[[str], Synthesized], tmp_path: Path
) -> None:
    stack = synthesized(bounded(tmp_path, "p6-b200", "hpc-boundary"))
    for file in (f"{stack.name}.template.json", f"{stack.name}.assets.json", "manifest.json"):
        text = (stack.folder / file).read_text(encoding="utf-8")
        assert "hnb659fds" not in text
        assert "acme01" in text
