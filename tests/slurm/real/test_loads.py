"""slurmctld loads the configuration of every built-in profile, and reports faults in others."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from config.design.slurm.topology import plan_topology, read_topology
from config.design.slurm.topology_files import TopologyFile, topology_file
from tests.slurm.conf import slurm_conf_text
from tests.slurm.real.conftest import conf_of
from tests.slurm.real.places import answer, names_of
from tests.slurm.real.slurm_cluster import DaemonError, Slurm
from tests.slurm.real.translation import OLDER

ON_BOTH = ("p5-dev", "p5", "p5en", "p6-b200", "p6-b300")
ON_HYPERPOD_ALONE = ("p5e", "p6e-gb200")  # docs/reference/combinations.md explains why
CLUSTERS = [
    *((profile, kind) for profile in ON_BOTH for kind in ("hyperpod-slurm", "pcs")),
    *((profile, "hyperpod-slurm") for profile in ON_HYPERPOD_ALONE),
]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("profile", "orchestrator"), CLUSTERS)
def test_the_configuration_of_a_profile_loads_without_an_error(profile: str, orchestrator: str) -> None:
    conf = conf_of(profile, orchestrator)
    with Slurm(conf, nodes=()) as slurm:
        assert slurm.errors() == []
        listed = slurm.ask("sinfo", "--noheader", "--format=%R %D %G").split("\n")
        for line in conf.nodes:
            partition = next(p.name for p in conf.partitions if line.names in p.nodes or p.nodes == "ALL")
            assert f"{partition} {line.count} {f'gpu:{line.gpus}' if line.gpus else '(null)'}" in listed


def test_a_job_that_names_no_queue_of_pcs_goes_to_the_default_one() -> None:
    conf = conf_of("p6-b200", "pcs")
    with Slurm(conf, nodes=()) as slurm:
        job = slurm.submit("true")
        assert "Partition=train " in slurm.ask("scontrol", "--oneliner", "show", "job", str(job))
    without = replace(conf, partitions=tuple(replace(p, settings={}) for p in conf.partitions))
    with Slurm(without, nodes=()) as slurm:
        assert any("default partition not set" in line for line in slurm.errors())
        assert "No partition specified" in slurm.refused("sbatch", "--wrap=true")


def test_a_partition_of_a_node_that_does_not_exist_is_refused() -> None:
    conf = conf_of("p6-b200")
    partitions = tuple(replace(p, nodes=p.nodes.replace("16", "17")) for p in conf.partitions)
    with pytest.raises(DaemonError, match="train-17"), Slurm(replace(conf, partitions=partitions)):
        pass


def test_a_switch_above_one_that_does_not_exist_is_refused() -> None:
    conf = conf_of("p5")
    good = topology_file(plan_topology(read_topology(answer([8, 8]), names_of(conf))), "24.11")
    bad = replace(good, text=good.text.replace("Switches=nn-000000000000000a0", "Switches=nn-lost"))
    assert bad.text != good.text
    with pytest.raises(DaemonError, match="nn-lost"), Slurm(conf, topology=bad):
        pass


def test_a_node_under_no_switch_is_reported_in_the_log() -> None:
    conf = conf_of("p6-b200")
    half = TopologyFile(name="topology.conf", text="SwitchName=s Nodes=train-[1-8]\n", plugin="topology/tree")
    with Slurm(conf, topology=half, nodes=()) as slurm:
        (warning,) = slurm.errors()
    assert re.search(r"switches lack access to 9 nodes: .*train-\[9-16\]", warning)


def test_nodes_that_ec2_tells_no_place_of_are_under_a_switch_too() -> None:
    conf = conf_of("p6-b200", nodes=16)
    reported = answer([8, 4], layers=4)
    topology = topology_file(plan_topology(read_topology(reported, names_of(conf))), "24.11")
    with Slurm(conf, topology=topology, nodes=()) as slurm:
        assert slurm.errors() == []
        assert "SwitchName=unplaced Level=0 LinkSpeed=1 Nodes=train-[13-16]" in slurm.ask(
            "scontrol", "show", "topology"
        )


def test_gpus_without_gres_types_are_offered_to_no_job() -> None:
    conf = conf_of("p6-b200")
    with Slurm(conf, nodes=(), settings={"GresTypes": None}) as slurm:
        assert "Invalid generic resource" in slurm.refused("sbatch", "--gres=gpu:8", "--wrap=true")


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", sorted(OLDER))
def test_what_is_left_out_for_the_older_slurm_is_unknown_to_it(name: str) -> None:
    conf = conf_of("p6-b200")
    node, partition = {"Parameters": (True, False), "PowerDownOnIdle": (False, True)}.get(
        name, (False, False)
    )
    lines = []
    for line in slurm_conf_text(conf).splitlines():
        to_node = node and line.startswith("NodeName=train")
        to_partition = partition and line.startswith("PartitionName=train")
        lines.append(f"{line} {name}=1" if to_node or to_partition else line)
    text = "\n".join([*lines, *([] if node or partition else [f"{name}=1"])]) + "\n"
    with (
        pytest.raises(DaemonError, match=rf"(?i)unrecognized key: {name}"),
        Slurm(conf, text=text, nodes=(), translated=False),
    ):
        pass
