"""Nodes of the tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config.design.nodes.scripts import NodeScriptsPlan
from tests.nodes.node import Node, bundle

MakeNode = Callable[..., Node]


@pytest.fixture
def make(tmp_path: Path) -> MakeNode:
    """A node with the scripts of a bundle, of HyperPod with Slurm unless told else."""

    def build(scripts: NodeScriptsPlan | None = None, machine: str = "p6-b200.48xlarge") -> Node:
        return Node(tmp_path / "node", scripts or bundle(machine=machine), machine)

    return build


@pytest.fixture
def ready(make: MakeNode) -> Node:
    """A GPU node as it should be: NVMe, EFA, Lustre mounted by the service, LNet by AWS's own service."""
    return prepared(make())


@pytest.fixture
def repaired(make: MakeNode) -> Node:
    """The same under a service that repairs nodes, with Slurm."""
    node = prepared(make(bundle(repaired=True)))
    node.has("slurm")
    return node


def prepared(node: Node) -> Node:
    """All that a GPU node with eight GPUs and EFA devices should have."""
    node.has_disks()
    node.mounts("/opt/dlami/nvme", "xfs")
    node.mounts("/fsx")
    node.has_efa(8)
    node.has_gpus(8)
    node.has("lnet-service", "8\n0\n")
    node.has("efa-works")
    return node
