"""Public failures of the functions that run helm, and of what constructs left out of a cluster."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import Synthesized
from tests.stack.test_templates import references

pytestmark = pytest.mark.synth
Tried = Callable[[str, str | None], Synthesized]
CONTROL_PLANES = ("eks", "hyperpod-eks")
RELEASE = "Custom::AWSCDK-EKS-HelmChart"


@pytest.fixture(params=CONTROL_PLANES)
def stack(request: pytest.FixtureRequest, tried: Tried) -> Synthesized:
    """A built-in cluster under each Kubernetes control plane."""
    return tried("p6-b200", request.param)


def test_eks_11_helm_pulls_a_chart_of_a_registry_first_and_is_given_no_repository(
    stack: Synthesized, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_registries = [
        release["Properties"]
        for release in stack.resources(RELEASE).values()
        if release["Properties"].get("Repository", "").startswith("oci://")
    ]
    assert of_registries
    for properties in of_registries:
        ran = commands_of(stack, {**properties, "ClusterName": "mine"}, tmp_path, monkeypatch)
        pull, upgrade = (command for command in ran if command[0] == "helm")
        assert pull[:5] == ["helm", "pull", properties["Repository"], "--version", properties["Version"]]
        assert upgrade[:3] == ["helm", "upgrade", properties["Release"]]
        assert not {"--repo", "--version"} & set(upgrade)


def commands_of(
    stack: Synthesized, properties: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[list[str]]:
    """What the stack's own function for releases runs, with nothing really run."""
    (file,) = stack.folder.glob("asset.*/helm/__init__.py")
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> bytes:
        ran.append(command)
        return b""

    monkeypatch.setenv("TEST_OUTDIR", str(folder))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(tempfile, "TemporaryDirectory", lambda: SimpleNamespace(name=str(folder)))
    monkeypatch.setattr(subprocess, "check_call", run)
    monkeypatch.setattr(subprocess, "check_output", run)
    spec = importlib.util.spec_from_file_location("helm_function", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # the stack's folder is shared
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # CDK's own file has escapes that Python warns of
        spec.loader.exec_module(module)
    text = json.dumps({}) if "Values" in properties else None
    module.helm_handler({"RequestType": "Create", "ResourceProperties": {**properties, "Values": text}}, None)
    return ran


def test_hyperpod_04_no_function_looks_for_libraries_where_it_is_reported_to(stack: Synthesized) -> None:
    functions = stack.resources("AWS::Lambda::Function")
    assert any("Layers" in function["Properties"] for function in functions.values())
    for name, function in functions.items():
        variables = function["Properties"].get("Environment", {}).get("Variables", {})
        assert not {"LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONHOME"} & set(variables), name


def test_eks_31_node_groups_of_machines_with_efa_have_its_interfaces(tried: Tried) -> None:
    stack = tried("p6-b200", "eks")
    template_of = {
        group["Properties"]["InstanceTypes"][0]
        if "InstanceTypes" in group["Properties"]
        else launch_template(stack, group)["InstanceType"]: launch_template(stack, group)
        for group in stack.resources("AWS::EKS::Nodegroup").values()
    }
    interfaces = template_of["p6-b200.48xlarge"]["NetworkInterfaces"]
    assert sum("efa" in one.get("InterfaceType", "") for one in interfaces) == 8


def launch_template(stack: Synthesized, group: dict[str, Any]) -> dict[str, Any]:
    """The launch template of a node group."""
    launch_template = group["Properties"]["LaunchTemplate"]["Id"]
    data: dict[str, Any] = stack.template["Resources"][launch_template["Ref"]]["Properties"][
        "LaunchTemplateData"
    ]
    return data


def before(resources: dict[str, Any], key: str) -> set[str]:
    """The resources that are complete before a resource is created."""
    found: set[str] = set()
    left = [key]
    while left:
        declared = resources[left.pop()]
        for one in {*declared.get("DependsOn", ()), *references(declared.get("Properties", {}))}:
            if one in resources and one not in found:
                found.add(one)
                left.append(one)
    return found


def test_eks_40_the_log_group_of_a_function_exists_before_its_first_call(stack: Synthesized) -> None:
    resources = stack.template["Resources"]
    groups = {
        function: key
        for key, one in resources.items()
        if one["Type"] == "AWS::Logs::LogGroup"
        for function in references(one["Properties"].get("LogGroupName"))
        if resources[function]["Type"] == "AWS::Lambda::Function"
    }
    assert len(groups) == 2
    called = {key: one for key, one in resources.items() if "ServiceToken" in one.get("Properties", {})}
    assert len(called) > 10
    for key in called:
        complete = before(resources, key)
        late = {group for function, group in groups.items() if function in complete} - complete
        assert not late, f"{key} can call its function before {late}"
