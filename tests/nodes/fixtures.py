"""Test fixtures of nodes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config.design.nodes.scripts import NodeScriptsPlan
from tests.nodes.node import Node, bundle

MakeNode = Callable[..., Node]


@pytest.fixture
def make(tmp_path: Path) -> MakeNode:
    """Return a function that builds a node with a script bundle, by default of HyperPod with Slurm."""

    def build(scripts: NodeScriptsPlan | None = None, machine: str = "p6-b200.48xlarge") -> Node:
        return Node(tmp_path / "node", scripts or bundle(machine=machine), machine)

    return build


@pytest.fixture
def ready(make: MakeNode) -> Node:
    """Return a healthy GPU node with NVMe, EFA, Lustre, and LNet configured by the service of AWS."""
    return prepared(make())


@pytest.fixture
def repaired(make: MakeNode) -> Node:
    """Return a healthy GPU node in Slurm, with node repair by the service."""
    node = prepared(make(bundle(repaired=True)))
    node.has("slurm")
    return node


def prepared(node: Node) -> Node:
    """Return the devices of a GPU node with eight GPUs and EFA devices."""
    node.has_disks()
    node.mounts("/opt/dlami/nvme", "xfs")
    node.mounts("/fsx")
    node.has_efa(8)
    node.has_gpus(8)
    node.has("lnet-service", "8\n0\n")
    node.has("efa-works")
    return node
