"""The built-in profiles, and what reading them may not do."""

from __future__ import annotations

import subprocess
import sys

import pytest

from config.cluster import load_cluster
from config.diagnostics import Severity
from config.profile.source.reference import BUILT_IN_FOLDER, built_in_names

NAMES = ["p5", "p5-dev", "p5e", "p5en", "p6-b200", "p6-b200-cluster", "p6-b200-data", "p6-b300", "p6e-gb200"]
TYPES = {
    "p5-dev": "p5.4xlarge",
    "p5": "p5.48xlarge",
    "p5e": "p5e.48xlarge",
    "p5en": "p5en.48xlarge",
    "p6-b200": "p6-b200.48xlarge",
    "p6-b200-cluster": "p6-b200.48xlarge",
    "p6-b300": "p6-b300.48xlarge",
    "p6e-gb200": "p6e-gb200.36xlarge",
}


def test_the_built_in_profiles_are_those_of_the_contract() -> None:
    assert built_in_names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_profile_has_no_errors_and_says_what_it_is(name: str) -> None:
    cluster = load_cluster(name)
    assert [d.message for d in cluster.diagnostics if d.severity is Severity.ERROR] == []
    assert cluster.exit_status == 0
    assert cluster.design
    assert cluster.design.profile.name == name
    assert cluster.design.profile.description
    assert cluster.design.profile.disposable is False


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_profile_names_no_account_but_a_placeholder(name: str) -> None:
    text = (BUILT_IN_FOLDER / f"{name}.yaml").read_text()
    arns = [word for word in text.replace('"', " ").split() if word.startswith("arn:aws")]
    assert all(":123456789012:training-plan/example" in arn for arn in arns)
    design = load_cluster(name).design
    assert design
    assert design.profile.account is None


@pytest.mark.parametrize("name", sorted(TYPES))
def test_a_built_in_profile_has_the_machines_of_its_name(name: str) -> None:
    design = load_cluster(name).design
    assert design
    assert [group.name for group in design.groups] == ["controller", "login", "train"]
    assert design.groups[2].instance_type.name == TYPES[name]


@pytest.mark.parametrize("name", ["p5e", "p6-b200-cluster", "p6e-gb200"])
def test_a_placeholder_is_a_warning_at_its_line(name: str) -> None:
    cluster = load_cluster(name)
    (found,) = [d for d in cluster.diagnostics if d.severity is Severity.WARNING]
    assert (found.code, found.path) == ("CAP005", "compute.groups[2].capacity.arn")
    assert found.file == f"config/profiles/{name}.yaml"
    assert found.line
    line = (BUILT_IN_FOLDER / f"{name}.yaml").read_text().splitlines()[found.line - 1]
    assert "training-plan/example" in line


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"p5e", "p6-b200-cluster", "p6e-gb200"}))
def test_other_built_in_profiles_have_notes_at_most(name: str) -> None:
    assert {d.severity for d in load_cluster(name).diagnostics} <= {Severity.NOTE}


def test_the_cluster_half_stands_on_the_data_half() -> None:
    cluster = load_cluster("p6-b200-cluster")
    assert cluster.data_profile == "p6-b200-data"
    assert cluster.design
    assert cluster.design.data_profile
    assert cluster.design.data_profile.name == "p6-b200-data"


_PURE = """
import sys
def audit(event, arguments):
    if event in ("subprocess.Popen", "os.system", "os.fork", "os.exec", "os.posix_spawn", "socket.connect"):
        raise SystemExit(f"{event}: {arguments}")
sys.addaudithook(audit)
from config.cluster import load_cluster
from config.profile.source.reference import built_in_names
from config.profile.source.shape import json_schema
for name in built_in_names():
    assert load_cluster(name).exit_status == 0, name
load_cluster("nowhere.yaml")
json_schema()
heavy = {"aws_cdk", "constructs", "jsii", "boto3", "botocore", "moto", "rich", "subprocess"}
print(*sorted(heavy & {module.partition(".")[0] for module in sys.modules}))
"""


def test_the_pure_core_imports_no_cdk_no_cloud_and_starts_no_process() -> None:
    run = subprocess.run([sys.executable, "-c", _PURE], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.split(), run.stderr) == (0, [], "")
