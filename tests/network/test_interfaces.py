"""Interfaces, addresses and pods of a node, for every type and control plane."""

from __future__ import annotations

import pytest

from config.catalog import InstanceType, Layout, catalog
from config.design.capacity.groups import node_interfaces
from config.design.network.interfaces import addresses_with_pods, most_pods, pod_interfaces
from config.profile.capacity.groups import Efa, Group
from config.profile.orchestrator import AnyOrchestrator, Eks, HyperPodEks, HyperPodSlurm
from config.profile.slurm.pcs import Pcs
from tests.tables import each_row

SLURM, HYPERPOD_EKS = HyperPodSlurm(kind="hyperpod-slurm"), HyperPodEks(kind="hyperpod-eks")
EKS, PCS = Eks(kind="eks"), Pcs(kind="pcs")
EFA_ONLY = Pcs(kind="pcs", efa_interface="efa-only")
WITH_EFA = [row for row in catalog().instances.values() if row.max_efa and row.is_gpu]
LAYOUTS = [(row, layout) for row in catalog().instances.values() for layout in row.layouts.values()]


def group(instance_type: str, layout: Efa | None = None) -> Group:
    return Group(name="train", role="compute", instance_type=instance_type, count=2, efa=layout)


@pytest.mark.parametrize(
    ("plane", "instance_type", "interfaces", "efa", "addresses"),
    [
        # HyperPod prerequisites: a P5 node takes 32 addresses under Slurm, 81 under EKS
        (SLURM, "p5.48xlarge", 32, 32, 32),
        (HYPERPOD_EKS, "p5.48xlarge", 32, 32, 81),
        (HYPERPOD_EKS, "p6-b300.48xlarge", 17, 16, 66),
        (HYPERPOD_EKS, "m5.4xlarge", 1, 0, 30),
        (PCS, "p5.48xlarge", 32, 32, 32),
        (EFA_ONLY, "p5.48xlarge", 33, 32, 1),
        (PCS, "p6-b300.48xlarge", 17, 16, 17),
        (PCS, "m5.4xlarge", 1, 0, 1),
        (EKS, "p5.48xlarge", 33, 32, 50),
        (Eks(kind="eks", pods_per_node=20), "p6-b200.48xlarge", 9, 8, 100),
        (EKS, "m5.4xlarge", 1, 0, 150),
    ],
)
def test_a_node_takes_the_addresses_that_its_control_plane_gives_it(
    plane: AnyOrchestrator, instance_type: str, interfaces: int, efa: int, addresses: int
) -> None:
    node = node_interfaces(group(instance_type), catalog().instances[instance_type], plane)
    assert (node.interfaces, node.efa, node.addresses) == (interfaces, efa, addresses)


@each_row("instance", WITH_EFA)
def test_by_default_a_gpu_node_has_all_its_efa_for_one_address_of_its_own(instance: InstanceType) -> None:
    node = node_interfaces(group(instance.name), instance, EFA_ONLY)
    assert node.addresses == 1
    assert node.efa == instance.layouts["ip-saving"].efa_count
    plain = node_interfaces(group(instance.name, Efa(layout="none")), instance, EKS)
    assert (plain.interfaces, plain.efa) == (1, 0)


@each_row("instance, layout", LAYOUTS, lambda row, layout: f"{row.name}-{layout.name}")
def test_every_pod_has_an_address(instance: InstanceType, layout: Layout) -> None:
    pods, slots = most_pods(instance, layout), pod_interfaces(instance, layout)
    assert 4 <= pods <= 250
    assert slots >= 1
    for asked in (4, pods // 2, pods):
        held = addresses_with_pods(instance, layout, asked)
        assert held - layout.addresses >= asked - 2 - slots, asked  # two pods stand on the host's own address
        assert held <= slots * instance.ipv4_per_interface + layout.addresses


@pytest.mark.parametrize("name", ["p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "p6-b300.48xlarge"])
def test_an_efa_only_interface_on_card_0_takes_a_slot_of_the_pods(name: str) -> None:
    instance = catalog().instances[name]
    expected = instance.max_pods_with_efa_on_card_0 or instance.max_pods
    assert most_pods(instance, instance.layouts["ip-saving"]) == expected
