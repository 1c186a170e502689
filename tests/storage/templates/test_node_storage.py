"""What scripts of nodes read at boot is there before a node boots, and may be read by it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from config.cluster import load_cluster
from tests.conftest import Synthesized

pytestmark = pytest.mark.synth
Synthesize = Callable[[str], Synthesized]
MORE = """extends: p5-dev
name: mine
storage:
  lustre: {kind: new, capacity_gib: 1200, throughput_mbps_per_tib: 125}
  additional_lustre:
  - {kind: new, name: data, mount_path: /data, capacity_gib: 2400, throughput_mbps_per_tib: 250}
"""
NAMES = ["/ultracluster/mine/nodes/lustre-data-dns-name", "/ultracluster/mine/nodes/lustre-data-mount-name"]


@pytest.fixture(scope="module")
def mine(synthesized: Synthesize, tmp_path_factory: pytest.TempPathFactory) -> Synthesized:
    file: Path = tmp_path_factory.mktemp("profiles") / "mine.yaml"
    file.write_text(MORE, encoding="utf-8")
    return synthesized(str(file))


def test_a_further_file_system_is_named_by_parameters_of_the_stack(mine: Synthesized) -> None:
    parameters = {
        r["Properties"]["Name"]: r["Properties"] for r in mine.resources("AWS::SSM::Parameter").values()
    }
    assert sorted(set(parameters) & set(NAMES)) == NAMES
    attributes = [json.dumps(parameters[name]["Value"]) for name in NAMES]
    assert ["DNSName" in attributes[0], "LustreMountName" in attributes[1]] == [True, True]
    (cluster,) = mine.resources("AWS::SageMaker::Cluster").values()
    ids = {
        key for key, r in mine.resources("AWS::SSM::Parameter").items() if r["Properties"]["Name"] in NAMES
    }
    assert ids <= set(cluster["DependsOn"])


def test_nodes_may_read_those_parameters_and_no_others(mine: Synthesized) -> None:
    statements = [
        statement
        for role in mine.resources("AWS::IAM::Role").values()
        for policy in role["Properties"].get("Policies", [])
        for statement in policy["PolicyDocument"]["Statement"]
        if "ssm:GetParameter" in statement["Action"]
    ]
    (statement,) = statements
    # where metrics go, and which file systems' metrics are the cluster's
    collected = [f"/ultracluster/mine/nodes/{name}" for name in ("lustre-dns-name", "remote-write-url")]
    read = [resource["Fn::Sub"].partition(":parameter")[2] for resource in statement["Resource"]]
    assert sorted(read) == sorted([*NAMES, *collected])


def test_scripts_ask_for_what_the_stack_writes(mine: Synthesized) -> None:
    (settings,) = [file.read_text() for file in mine.folder.rglob("settings.env")]
    lines = settings.partition("LUSTRE_FILE_SYSTEMS='")[2].partition("'")[0].splitlines()
    assert lines == ["lustre 2.15 tcp /fsx service - -", f"data 2.15 tcp /data script {' '.join(NAMES)}"]


def test_a_file_system_of_a_data_profile_is_read_where_that_publishes_it(tmp_path: Path) -> None:
    data = (
        "extends: p6-b200-data\nname: my-data\nstorage:\n  additional_lustre:\n"
        "  - {kind: new, name: more, mount_path: /more, capacity_gib: 2400, throughput_mbps_per_tib: 250}\n"
    )
    (tmp_path / "my-data.yaml").write_text(data, encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(
        "extends: p6-b200-cluster\nname: mine\ndata: {profile: my-data.yaml}\n", encoding="utf-8"
    )
    design = load_cluster("mine.yaml", base=tmp_path).design
    assert design is not None
    assert design.attachment is not None
    assert design.hyperpod is not None
    assert design.hyperpod.scripts is not None
    expected = {design.attachment.path(f"lustre-more-{fact}") for fact in ("dns-name", "mount-name")}
    collected = {design.attachment.path("lustre-dns-name"), "/ultracluster/mine/nodes/remote-write-url"}
    assert set(design.hyperpod.scripts.parameters) == expected | collected
