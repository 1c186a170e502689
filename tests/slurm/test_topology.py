"""Network topology: from EC2's output to Slurm's tree and block topology."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from config.catalog import catalog
from config.design.slurm.node_names import hostlist, in_order
from config.design.slurm.topology import UNPLACED, Topology, TopologyError, plan_topology, read_topology
from config.design.slurm.topology_files import block_sizes, topology_file
from config.design.slurm.topology_fit import fit


def instance(name: str, *layers: str, **more: str) -> dict[str, Any]:
    known = {"InstanceId": name, "InstanceType": "p6-b200.48xlarge", "ZoneId": "usw2-az2"}
    return {**known, "NetworkNodes": list(layers), **more}


def topology(*instances: dict[str, Any]) -> Topology:
    return plan_topology(read_topology({"Instances": list(instances)}))


def ultraserver(domain: str, nodes: Sequence[str]) -> list[dict[str, Any]]:
    more = {"InstanceType": "p6e-gb200.36xlarge", "CapacityBlockId": domain, "ZoneId": "use1-dfw2-az1"}
    return [instance(name, "nn-1", "nn-2", "nn-3", **more) for name in nodes]


def named(prefix: str, first: int, last: int) -> list[str]:
    return [f"{prefix}-{number}" for number in range(first, last + 1)]


TREE = (
    instance("train-1", "nn-a", "nn-b", "nn-c1"),
    instance("train-10", "nn-a", "nn-b", "nn-c1"),
    instance("train-2", "nn-a", "nn-b", "nn-c1"),
    instance("train-3", "nn-a", "nn-b", "nn-c2"),
)


def test_a_tree_is_written_from_the_leaves_to_the_root() -> None:
    file = topology_file(topology(*TREE), "24.11")
    assert (file.name, file.plugin) == ("topology.conf", "topology/tree")
    assert file.text.splitlines() == [
        "SwitchName=nn-c1 Nodes=train-[1-2,10]",
        "SwitchName=nn-c2 Nodes=train-3",
        "SwitchName=nn-b Switches=nn-c1,nn-c2",
        "SwitchName=nn-a Switches=nn-b",
    ]


def test_from_25_05_on_it_is_yaml_and_slurm_conf_names_no_plugin() -> None:
    file = topology_file(topology(*TREE), "25.05")
    assert (file.name, file.plugin) == ("topology.yaml", None)
    assert yaml.safe_load(file.text) == [
        {
            "topology": "tree",
            "cluster_default": True,
            "tree": {
                "switches": [
                    {"switch": "nn-c1", "nodes": "train-[1-2,10]"},
                    {"switch": "nn-c2", "nodes": "train-3"},
                    {"switch": "nn-b", "children": "nn-c1,nn-c2"},
                    {"switch": "nn-a", "children": "nn-b"},
                ]
            },
        }
    ]


def test_the_order_of_the_answer_changes_nothing() -> None:
    shuffled = list(TREE)
    random.Random(1).shuffle(shuffled)
    assert topology(*shuffled) == topology(*TREE)


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=40), st.integers(0, 3))
def test_every_node_is_in_one_leaf_and_every_leaf_under_its_zones_root(
    places: list[tuple[int, int, int]], lost: int
) -> None:
    standing = [instance(f"n-{i}", f"a{a}", f"b{a}{b}", f"c{a}{b}{c}") for i, (a, b, c) in enumerate(places)]
    found = topology(*standing, *(instance(f"lost-{i}") for i in range(lost)))
    nodes = [name for leaf in found.leaves for name in leaf.nodes]
    every = [*(f"n-{i}" for i in range(len(places))), *(f"lost-{i}" for i in range(lost))]
    assert sorted(nodes) == sorted(every)
    under = [child for switch in found.switches for child in switch.switches]
    assert len(under) == len(set(under))
    assert len({switch.name for switch in found.switches} - set(under)) == 1


def test_nodes_without_a_place_are_a_leaf_beside_the_others() -> None:
    file = topology_file(topology(*TREE, instance("train-4")), "24.11")
    assert file.text.splitlines()[2] == f"SwitchName={UNPLACED} Nodes=train-4"
    assert file.text.splitlines()[-1] == f"SwitchName=zone-usw2-az2 Switches=nn-a,{UNPLACED}"


def test_a_node_of_slurm_that_ec2_does_not_know_is_one_of_them_and_a_foreign_instance_is_none() -> None:
    names = {"train-1": "p5-1", "train-3": "p5-3", "i-new": "p5-9"}
    found = plan_topology(read_topology({"Instances": list(TREE)}, names))
    assert {leaf.name: leaf.nodes for leaf in found.leaves} == {
        "nn-c1": ("p5-1",), "nn-c2": ("p5-3",), UNPLACED: ("p5-9",),
    }  # fmt: skip


def test_no_switch_is_above_two_zones() -> None:
    other = instance("far-1", "nn-x", "nn-y", "nn-z", ZoneId="usw2-az3")
    found = topology(*TREE, other)
    roots = {switch.name for switch in found.switches} - {
        child for switch in found.switches for child in switch.switches
    }
    assert roots == {"nn-a", "nn-x"}


def test_families_of_three_and_four_layers_stand_in_one_tree() -> None:
    p5 = instance("p5-1", "nn-q", "nn-r", "nn-s", InstanceType="p5.48xlarge")
    found = topology(instance("p6-1", "nn-a", "nn-b", "nn-c", "nn-d"), p5)
    assert [leaf.name for leaf in found.leaves] == ["nn-d", "nn-s"]
    assert found.switches[-1].switches == ("nn-a", "nn-q")


GB200 = (*ultraserver("cr-1", named("train", 1, 17)), *ultraserver("cr-2", named("train", 18, 34)))


def test_ultraservers_are_blocks_of_their_whole_size_where_spares_may_be_left_out() -> None:
    (found,) = yaml.safe_load(topology_file(topology(*GB200), "25.11").text)
    assert found["block"] == {
        "block_sizes": [18, 36],
        "blocks": [{"block": "cr-1", "nodes": "train-[1-17]"}, {"block": "cr-2", "nodes": "train-[18-34]"}],
    }


def test_until_25_05_no_block_has_fewer_nodes_than_the_size() -> None:
    file = topology_file(topology(*GB200), "24.11")
    assert file.plugin == "topology/block"
    assert file.text.splitlines()[-1] == "BlockSizes=17,34"


@pytest.mark.parametrize(
    ("counts", "sizes"), [([9], (9,)), ([18], (18,)), ([9, 18], (9, 18)), ([18] * 5, (18, 36, 72))]
)
def test_block_sizes_are_powers_of_two_of_the_smallest(counts: list[int], sizes: tuple[int, ...]) -> None:
    blocks = topology(
        *(one for i, count in enumerate(counts) for one in ultraserver(f"cr-{i}", named(f"u{i}", 1, count)))
    ).blocks
    assert block_sizes(blocks, whole=False) == sizes


def test_the_sizes_of_ultraservers_are_those_of_the_catalogue() -> None:
    sizes = {unit.instances for unit in catalog().units_of("p6e-gb200.36xlarge").values()}
    assert {
        topology(*ultraserver("cr", named("n", 1, count))).blocks[0].unit for count in (8, 9, 10, 18)
    } == sizes


def test_a_tree_and_blocks_are_two_topologies_from_25_05_on_and_before_refused() -> None:
    both = topology(*GB200, instance("cpu-1", InstanceType="m5.4xlarge"))
    assert [one["topology"] for one in yaml.safe_load(topology_file(both, "25.05").text)] == [
        "tree", "ultraservers",
    ]  # fmt: skip
    with pytest.raises(TopologyError, match="one topology for all nodes"):
        topology_file(both, "24.11")


REFUSED: dict[str, tuple[object, str]] = {
    "no answer": ({}, "no `Instances`"),
    "a list": ([], "no `Instances`"),
    "no id": ({"Instances": [{}]}, "has no `InstanceId`"),
    "no names": ({"Instances": [{"InstanceId": "i-1", "NetworkNodes": [1]}]}, "not a list of names"),
    "two locations": ({"Instances": [instance("i-1", "a"), instance("i-1", "b")]}, "two locations"),
    "two parents": ({"Instances": [instance("i-1", "a", "c"), instance("i-2", "b", "c")]}, "both b and"),
    "a circle": (
        {"Instances": [instance("i-1", "a", "b", "c"), instance("i-2", "b", "a", "d")]},
        "the top layer of",
    ),
    "nodes and switches": (
        {"Instances": [instance("i-1", "a"), instance("i-2", "a", "b")]},
        "both instances and network nodes below it",
    ),
    "not yet known": (
        {"Instances": [instance("i-1", "a", InstanceType="p6e-gb200.36xlarge")]},
        "does not return its `CapacityBlockId` yet",
    ),
    "too many": ({"Instances": ultraserver("cr-1", named("n", 1, 19))}, "has at most 18"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_an_answer_that_contradicts_itself_is_refused_with_what_to_do(case: str) -> None:
    answer, says = REFUSED[case]
    with pytest.raises(TopologyError, match=says) as raised:
        plan_topology(read_topology(answer))
    assert raised.value.hint


@pytest.mark.parametrize(
    ("nodes", "group", "spans"), [(1, "nn-c2", 1), (3, "nn-c1", 1), (4, None, 2), (5, None, 0)]
)
def test_a_job_goes_under_the_smallest_leaf_that_holds_it(nodes: int, group: str | None, spans: int) -> None:
    place = fit(topology(*TREE), nodes)
    assert (place.group, place.spans, len(place.chosen)) == (group, spans, nodes if group else 0)


def test_a_job_in_an_ultraserver_stays_in_it() -> None:
    assert fit(topology(*GB200), 17).group == "cr-1"
    assert fit(topology(*GB200), 18).spans == 2


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a-1"], "a-1"),
        (["a-2", "a-1", "a-3", "a-5"], "a-[1-3,5]"),
        (["a-01", "a-1", "a-02"], "a-[01-02],a-1"),
        (["a-9", "a-10", "b"], "a-[9-10],b"),
        (["i-0abc", "i-0abd"], "i-0abc,i-0abd"),
        (["a-0", "a-1"], "a-[0-1]"),
    ],
)
def test_names_are_written_as_slurm_does(names: list[str], text: str) -> None:
    assert hostlist(names) == text


def test_node_2_comes_before_node_10() -> None:
    assert in_order(["a-10", "a-2", "b", "a-1"]) == ["a-1", "a-2", "a-10", "b"]


@pytest.mark.parametrize(
    "odd",
    [
        {"ZoneId": {"x": 1}},
        {"ZoneId": 5},
        {"InstanceType": ["p5.48xlarge"]},
        {"CapacityBlockId": 5},
        {"CapacityBlockId": ["q"]},
        {"NetworkNodes": ["nn-1"] * 3000},
        {"NetworkNodes": ['a"\n- x']},
        {"NetworkNodes": [""]},
        {"NetworkNodes": ["unplaced"]},
        {"NetworkNodes": ["zone-usw2-az2"]},
    ],
)
def test_an_answer_with_anything_but_plain_names_is_refused_with_a_reason(odd: dict[str, object]) -> None:
    instance = {"InstanceId": "i-1", "InstanceType": "p5.48xlarge", "NetworkNodes": ["nn-1"]}
    with pytest.raises(TopologyError) as refused:
        plan_topology(read_topology({"Instances": [instance | odd]}))
    assert refused.value.hint


def test_an_answer_without_machines_is_no_topology() -> None:
    with pytest.raises(TopologyError, match="is empty"):
        read_topology({"Instances": []})


def test_a_capacity_block_of_other_machines_stays_in_the_tree() -> None:
    layers = ["nn-1", "nn-2", "nn-3"]
    instance = {"InstanceId": "i-1", "InstanceType": "p6-b200.48xlarge", "NetworkNodes": layers}
    topology = plan_topology(read_topology({"Instances": [instance | {"CapacityBlockId": "cb-1"}]}))
    assert topology.blocks == ()
    assert [leaf.nodes for leaf in topology.leaves] == [("i-1",)]
