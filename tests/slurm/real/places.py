"""Simulated output of EC2 about the location of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.slurm.conf import SlurmConf


def instance_id(number: int) -> str:
    """Return an instance id in EC2's format."""
    return f"i-{number:017x}"


def names_of(conf: SlurmConf) -> dict[str, str]:
    """Return the nodes' names by instance id."""
    return {instance_id(number): name for number, name in enumerate(conf.each_node)}


def answer(leaves: Sequence[int], *, layers: int = 3, instance_type: str = "p5.48xlarge") -> dict[str, Any]:
    """Return output of DescribeInstanceTopology with instances distributed in turn over several leaves.

    Consecutive numbers are under different leaves, so a placement by name only is wrong.
    """
    order = [leaf for turn in range(max(leaves)) for leaf, size in enumerate(leaves) if turn < size]
    above = [f"nn-{layer:017x}" for layer in range(layers - 2)]
    return {
        "Instances": [
            {
                "InstanceId": instance_id(number),
                "InstanceType": instance_type,
                "NetworkNodes": [*above, f"nn-{0xA0 + leaf // 2:017x}", f"nn-{0xF0 + leaf:017x}"],
                "AvailabilityZone": "us-west-2b",
                "ZoneId": "usw2-az2",
            }
            for number, leaf in enumerate(order)
        ]
    }


def leaf_name(leaf: int) -> str:
    """Return the network node of a leaf of `answer`."""
    return f"nn-{0xF0 + leaf:017x}"
