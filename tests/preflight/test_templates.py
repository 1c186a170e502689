"""What preflight believes of templates is what they have: the bootstrap's version, names, parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from config.cluster import load_cluster
from scripts.cli.preflight.data import published, read
from scripts.cli.preflight.deployment import BOOTSTRAP_VERSION
from scripts.cli.preflight.names import log_group_forms
from tests.conftest import Synthesized

pytestmark = pytest.mark.synth
Tried = Callable[[str, str | None], Synthesized]


def test_the_bootstrap_is_as_new_as_the_manifest_asks_for(tried: Tried) -> None:
    manifest = json.loads((tried("p6-b200", None).folder / "manifest.json").read_text(encoding="utf-8"))
    asked = {
        artifact["properties"]["requiresBootstrapStackVersion"]
        for artifact in manifest["artifacts"].values()
        if "requiresBootstrapStackVersion" in artifact.get("properties", {})
    }
    assert asked == {BOOTSTRAP_VERSION}


def test_the_parameters_of_a_data_profile_are_those_that_it_publishes(tried: Tried) -> None:
    design = load_cluster("p6-b200-data").design
    assert design is not None
    stack = tried("p6-b200-data", None)
    names = {one["Properties"]["Name"] for one in stack.resources("AWS::SSM::Parameter").values()}
    assert names == set(published(design))


@pytest.mark.parametrize("kind", ["hyperpod-slurm", "hyperpod-eks"])
def test_the_parameters_that_a_cluster_reads_are_those_of_its_template(kind: str, tried: Tried) -> None:
    design = load_cluster("p6-b200-cluster", orchestrator=kind).design
    assert design is not None
    assert design.attachment is not None
    text = tried("p6-b200-cluster", kind).text
    named = set(re.findall(r"\{\{resolve:ssm:([^}]+)\}\}", text))
    assert named <= {design.attachment.path(key) for key in read(design)}
    assert design.attachment.path("subnet-primary-id") in named


@pytest.mark.parametrize("kind", ["hyperpod-slurm", "hyperpod-eks", "eks", "pcs"])
def test_the_names_of_log_groups_that_are_asked_for_are_all_that_a_template_states(
    kind: str, tried: Tried
) -> None:
    design = load_cluster("p6-b200", orchestrator=kind).design
    assert design is not None
    forms = list(log_group_forms(design))
    declared = [
        str(one["Properties"]["LogGroupName"])
        for one in tried("p6-b200", kind).resources("AWS::Logs::LogGroup").values()
        if isinstance(one["Properties"].get("LogGroupName"), str)
    ]
    assert declared
    for name in declared:
        assert any(form.pattern.fullmatch(name) for form in forms), name
