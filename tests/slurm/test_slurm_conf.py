"""The slurm.conf of a profile."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from config.cluster import load_cluster
from config.design.model import Design
from config.design.slurm.defaults import FOLDER
from tests.slurm.conf import gres_conf_text, plan_slurm_conf, slurm_conf_text

PCS = "orchestrator: {kind: pcs, slurm_version: '25.11'"
_SETS = re.compile(r"\b(?:Topology(?:Plugin|Param)\s*=|topology\.(?:conf|yaml)\b)", re.IGNORECASE)


def topology_lines(text: str) -> list[int]:
    """Return the lines, from 1, that set TopologyPlugin or TopologyParam or name the files, without comments.

    Since April 2026, HyperPod writes them (sagemaker-hyperpod-topology). If a script also sets a plugin, its
    file is missing, and Slurm rejects all jobs.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if _SETS.search(line.partition("#")[0]):
            found.append(number)
    return found


def designed(folder: Path, text: str) -> Design:
    (folder / "my.yaml").write_text(f"name: my\n{text}\n")
    cluster = load_cluster("my.yaml", base=folder)
    assert cluster.design is not None, [d.message for d in cluster.diagnostics]
    return cluster.design


def test_hyperpod_has_all_nodes_in_dev_and_each_group_in_its_partition() -> None:
    design = load_cluster("p6-b200").design
    assert design is not None
    conf = plan_slurm_conf(design.profile, design.groups, design.pcs)
    assert conf is not None
    assert slurm_conf_text(conf).splitlines() == [
        "ClusterName=p6-b200",
        f"Epilog={FOLDER}/epilog.sh",
        "GresTypes=gpu",
        f"Prolog={FOLDER}/prolog.sh",
        "SchedulerParameters=nohold_on_prolog_fail",
        "SelectType=select/cons_tres",
        "NodeName=login-1 CPUs=16 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=62259",
        "NodeName=train-[1-16] CPUs=192 CoresPerSocket=96 ThreadsPerCore=2 RealMemory=1992294 Gres=gpu:8",
        "PartitionName=dev Nodes=ALL Default=YES",
        "PartitionName=train Nodes=train-[1-16]",
    ]
    assert gres_conf_text(conf) == "NodeName=train-[1-16] Name=gpu File=/dev/nvidia[0-7]\n"


def test_pcs_has_the_settings_of_the_profile_on_cluster_queue_and_nodes(tmp_path: Path) -> None:
    design = designed(
        tmp_path,
        f"extends: p6-b200\n{PCS}, settings: {{PreemptType: preempt/partition_prio, PreemptMode: REQUEUE}}, "
        "queues: [{name: long, groups: [train], settings: {MaxTime: 7-00:00:00, Default: 'YES'}}]}\n"
        "compute: {groups: [{name: train, role: compute, instance_type: p6-b200.48xlarge, count: 4, "
        "slurm_settings: {Weight: 10, RealMemory: 1900000}}]}",
    )
    conf = plan_slurm_conf(design.profile, design.groups, design.pcs)
    assert conf is not None
    (line,) = conf.nodes
    assert line.name.startswith("train-")
    text = slurm_conf_text(conf).splitlines()
    assert "PreemptMode=REQUEUE" in text
    assert f"PartitionName=long Nodes={line.names} Default=YES MaxTime=7-00:00:00" in text
    (node,) = [one for one in text if one.startswith("NodeName=")]
    assert node.endswith("Gres=gpu:8 Weight=10")
    assert node.count("RealMemory=") == 1
    assert "RealMemory=1900000" in node


def test_the_machines_of_an_ultraserver_have_four_gpus_and_no_threads() -> None:
    design = load_cluster("p6e-gb200").design
    assert design is not None
    conf = plan_slurm_conf(design.profile, design.groups, design.pcs)
    assert conf is not None
    (line,) = [line for line in conf.nodes if line.gpus]
    assert (line.gpus, line.threads_per_core, line.count) == (4, 1, 17)


@pytest.mark.parametrize("orchestrator", ["eks", "hyperpod-eks"])
def test_kubernetes_has_none(orchestrator: str) -> None:
    design = load_cluster("p6-b200", orchestrator=orchestrator).design
    assert design is not None
    assert plan_slurm_conf(design.profile, design.groups, design.pcs) is None


@pytest.mark.parametrize("orchestrator", ["hyperpod-slurm", "pcs"])
def test_what_slurm_is_configured_to_run_is_what_the_nodes_are_given(orchestrator: str) -> None:
    design = load_cluster("p6-b200", orchestrator=orchestrator).design
    assert design is not None
    conf, plan = plan_slurm_conf(design.profile, design.groups, design.pcs), design.pcs or design.hyperpod
    assert conf is not None
    assert plan is not None
    assert plan.scripts is not None
    reported = {value for value in conf.settings.values() if value.startswith("/")}
    assert reported == {f"{FOLDER}/{name}" for name in ("prolog.sh", "epilog.sh")}
    assert {path.removeprefix(f"{FOLDER}/") for path in reported} <= set(plan.scripts.files)


@pytest.mark.parametrize("orchestrator", ["hyperpod-slurm", "pcs"])
def test_hyperpod_12_nothing_that_nodes_run_writes_a_topology_which_the_service_manages(
    orchestrator: str,
) -> None:
    design = load_cluster("p6-b200", orchestrator=orchestrator).design
    assert design is not None
    plan = design.pcs or design.hyperpod
    assert plan is not None
    assert plan.scripts is not None
    for text in plan.scripts.files.values():
        assert topology_lines(text) == []


@pytest.mark.parametrize(
    "line",
    [
        "echo 'TopologyPlugin=topology/tree' >> /opt/slurm/etc/slurm.conf",
        "sed -i 's/^topologyparam = .*//' slurm.conf",
        "cat > /opt/slurm/etc/topology.conf <<EOF",
        "cp topology.yaml /opt/slurm/etc/",
    ],
)
def test_a_line_that_sets_the_topology_is_found_and_a_comment_is_none(line: str) -> None:
    assert topology_lines(f"set -e\n# TopologyPlugin=topology/tree is the service's\n{line}\n") == [3]
