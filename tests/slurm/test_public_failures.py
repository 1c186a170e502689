"""Public failures of Slurm: settings of its controller, and programs around jobs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from config.catalog import catalog
from config.catalog.slurm.pcs import SettingsOf, is_older
from config.cluster import load_cluster
from config.design.nodes.scripts import NodeScriptsPlan
from config.design.report.parallelcluster.limits import VERSION
from config.profile.slurm.pcs import Pcs
from tests.conftest import ROOT, SNAPSHOTS, Synthesized
from tests.rules.planting import Check, codes_of, errors, profile
from tests.slurm.conf import plan_slurm_conf

StackOf = Callable[[str], Synthesized]
SLURM = ("hyperpod-slurm", "pcs")
VERSIONS = get_args(Pcs.model_fields["slurm_version"].annotation)
CLUSTER = "AWS::PCS::Cluster"


def scripts_of(kind: str) -> NodeScriptsPlan:
    design = load_cluster("p6-b200", orchestrator=kind).design
    assert design is not None
    plan = design.pcs or design.hyperpod
    assert plan is not None
    assert plan.scripts is not None
    return plan.scripts


def code_of(kind: str) -> Iterator[str]:
    """Return the lines of all scripts without comments."""
    for text in scripts_of(kind).files.values():
        yield from (line for line in text.splitlines() if not line.lstrip().startswith("#"))


@pytest.mark.parametrize("kind", SLURM)
def test_slurm_03_no_script_runs_a_deep_test_and_the_driver_is_asked_with_a_time_limit(kind: str) -> None:
    deep = r"\bdcgmi\b|nv-hostengine|dcgmproftester|dcgm diag"
    assert not [line for line in code_of(kind) if re.search(deep, line, re.IGNORECASE)]
    asked = [line for line in code_of(kind) if re.search(r"nvidia-smi (-|\"\$@)", line)]
    assert asked
    assert all("timeout --kill-after=5" in line for line in asked)


def test_slurm_14_a_parallelcluster_file_is_for_the_one_version_that_it_is_tried_with() -> None:
    locked = (ROOT / "requirements-pcluster.txt").read_text(encoding="utf-8")
    assert re.findall(r"^aws-parallelcluster(\S+)", locked, re.MULTILINE) == [f"=={VERSION}"]


def test_slurm_14_a_version_of_slurm_is_always_stated_and_one_of_a_list(check: Check) -> None:
    template = json.loads((SNAPSHOTS / "p6-b200.pcs.template.json").read_text(encoding="utf-8"))
    (cluster,) = [r["Properties"] for r in template["Resources"].values() if r["Type"] == CLUSTER]
    assert cluster["Scheduler"]["Version"] in VERSIONS
    for version in ("latest", "25", "22.05"):
        text = profile("pcs").replace("{kind: pcs}", f'{{kind: pcs, slurm_version: "{version}"}}')
        assert errors(check(text)), version


@pytest.mark.parametrize("kind", SLURM)
def test_slurm_16_a_job_whose_prolog_fails_is_queued_again_and_not_held(kind: str) -> None:
    design = load_cluster("p6-b200", orchestrator=kind).design
    assert design is not None
    conf = plan_slurm_conf(design.profile, design.groups, design.pcs)
    assert conf is not None
    assert "nohold_on_prolog_fail" in conf.settings["SchedulerParameters"].split(",")


def declared(kind: SettingsOf, name: str, value: str, version: str) -> str:
    """Return a profile with one Slurm setting, under the right key."""
    queue: dict[str, Any] = {"name": "gpu", "groups": ["train"]}
    train: dict[str, Any] = {
        "name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 4,
    }  # fmt: skip
    pcs: dict[str, Any] = {"kind": "pcs", "slurm_version": version, "queues": [queue]}
    holder, key = {
        "cluster": (pcs, "settings"),
        "queue": (queue, "settings"),
        "group": (train, "slurm_settings"),
    }[kind]
    holder[key] = {name: value}
    return yaml.safe_dump(
        {"extends": "p6-b200", "name": "mine", "orchestrator": pcs, "compute": {"groups": [train]}}
    )


YOUNGER = [
    (kind, *(f"{setting}=1".split("=")[:2]), since)
    for kind, settings in catalog().pcs.since.items()
    for setting, since in settings.items()
]


@pytest.mark.parametrize(("kind", "name", "value", "since"), YOUNGER)
def test_slurm_18_a_setting_is_refused_of_every_version_before_its_own(
    kind: SettingsOf, name: str, value: str, since: str, check: Check
) -> None:
    for version in VERSIONS:
        refused = "PCS023" in errors(check(declared(kind, name, value, version)))
        assert refused == is_older(version, since), version


@pytest.mark.synth
def test_slurm_18_a_list_of_settings_is_never_empty(stack_of: StackOf, tmp_path: Path) -> None:
    cpu_group: dict[str, Any] = {"name": "cpu", "role": "compute", "instance_type": "m5.4xlarge", "count": 2}
    text = {"extends": "p6-b200", "name": "mine", "compute": {"groups": [cpu_group]}, "storage": None}
    text["observability"] = None
    orchestrator = {
        "kind": "pcs",
        "queues": [{"name": "cpu", "groups": ["cpu"], "settings": {"Default": None}}],
    }
    (tmp_path / "bare.yaml").write_text(
        yaml.safe_dump(text | {"orchestrator": orchestrator}), encoding="utf-8"
    )
    made = stack_of(str(tmp_path / "bare.yaml"))
    assert made.resources(CLUSTER)
    assert "CustomSettings" not in made.text
    for kind in (CLUSTER, "AWS::PCS::ComputeNodeGroup", "AWS::PCS::Queue"):
        assert "PCS009" in codes_of(kind, {"SlurmConfiguration": {"SlurmCustomSettings": []}})


def test_slurm_22_all_of_a_pcs_cluster_is_resources_that_cloudformation_has() -> None:
    template = json.loads((SNAPSHOTS / "p6-b200.pcs.template.json").read_text(encoding="utf-8"))
    types = {
        resource["Type"]
        for name, resource in template["Resources"].items()
        if not name.startswith("ObservabilityGrafana")  # has no resources for dashboards
    }
    assert {CLUSTER, "AWS::PCS::ComputeNodeGroup", "AWS::PCS::Queue"} <= types
    assert not [kind for kind in types if kind.startswith("Custom::") or kind.endswith("::CustomResource")]
    assert "AWS::Lambda::Function" not in types


@pytest.mark.synth
@pytest.mark.parametrize(("declared", "expected"), [("none", "None"), ("automatic", "Automatic")])
def test_hyperpod_28_nodes_that_an_agent_reports_wrongly_can_be_left_alone(
    declared: str, expected: str, stack_of: StackOf, tmp_path: Path
) -> None:
    text = f"extends: p6-b200\nname: mine\norchestrator: {{node_recovery: {declared}}}\n"
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    assert stack_of(str(tmp_path / "mine.yaml")).only("AWS::SageMaker::Cluster")["NodeRecovery"] == expected


@pytest.mark.parametrize("version", VERSIONS)
def test_slurm_40_a_version_without_fixes_is_reported(version: str, check: Check) -> None:
    found = check(profile(f'pcs, slurm_version: "{version}"'))
    assert ("PCS039" in {one.code for one in found.diagnostics}) == (version == "24.11")


@pytest.mark.parametrize(("group", "reported"), [("ami_id: ami-0123456789abcdef0", True), ("", False)])
def test_slurm_41_an_image_must_have_the_agent_and_the_slurm_of_the_cluster(
    group: str, reported: bool, check: Check
) -> None:
    found = check(profile("pcs", group))
    assert ("PCS040" in {one.code for one in found.diagnostics}) == reported
