"""The control plane of a profile."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model

ORCHESTRATORS = ("hyperpod-slurm", "hyperpod-eks", "eks", "pcs")
"""The control planes of the contract."""

AVAILABLE = ("hyperpod-slurm",)
"""The control planes that this version builds; the others are refused with ORC001."""


class HyperPodSlurm(Model):
    """SageMaker HyperPod with Slurm, configured through the API."""

    kind: Literal["hyperpod-slurm"]
    slurm_config_strategy: Annotated[
        Literal["managed", "overwrite", "merge"],
        Field(
            description="What an update does with changes made on the nodes by hand. managed: stop and say so; "
            "overwrite: the profile wins; merge: keep them."
        ),
    ] = "managed"
    node_recovery: Annotated[
        Literal["automatic", "none"],
        Field(description="automatic: HyperPod reboots or replaces faulty nodes."),
    ] = "automatic"


Orchestrator = HyperPodSlurm
