"""What EC2 would tell of the nodes of a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.slurm.conf import SlurmConf


def instance_id(number: int) -> str:
    """The id of an instance, in EC2's form."""
    return f"i-{number:017x}"


def names_of(conf: SlurmConf) -> dict[str, str]:
    """The nodes' names by instance id."""
    return {instance_id(number): name for number, name in enumerate(conf.each_node)}


def answer(leaves: Sequence[int], *, layers: int = 3, instance_type: str = "p5.48xlarge") -> dict[str, Any]:
    """An answer of DescribeInstanceTopology with instances under so many leaves, dealt out as cards are.

    Neighbouring numbers stand under different leaves, so that who goes by names alone gets it wrong.
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
    """The network node of a leaf of `answer`."""
    return f"nn-{0xF0 + leaf:017x}"
