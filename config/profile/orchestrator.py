"""The control plane of a profile."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model

ORCHESTRATORS = ("hyperpod-slurm", "hyperpod-eks", "eks", "pcs")
"""The control planes of the contract."""

AVAILABLE = ("hyperpod-slurm",)
"""The control planes that this version builds; the others are judged and planned, and refused with ORC001."""

NodeRecovery = Annotated[
    Literal["automatic", "none"],
    Field(description="automatic: HyperPod reboots or replaces faulty nodes."),
]
KubernetesVersion = Annotated[
    Literal["1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36"],
    Field(description='Kubernetes version, in quotes: "1.35".'),
]
PodsPerNode = Annotated[
    int | None,
    Field(
        ge=4,
        le=737,
        description="Pods that a node may run, those of the system included; default: as many as its interfaces "
        "have addresses for.",
    ),
]


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
    node_recovery: NodeRecovery = "automatic"


class HyperPodEks(Model):
    """SageMaker HyperPod with a Kubernetes control plane of Amazon EKS."""

    kind: Literal["hyperpod-eks"]
    kubernetes_version: KubernetesVersion = "1.35"
    node_recovery: NodeRecovery = "automatic"


class Eks(Model):
    """Amazon EKS with managed node groups."""

    kind: Literal["eks"]
    kubernetes_version: KubernetesVersion = "1.35"
    pods_per_node: PodsPerNode = None


class Pcs(Model):
    """AWS Parallel Computing Service (PCS): Slurm with a managed controller."""

    kind: Literal["pcs"]
    slurm_version: Annotated[
        Literal["24.11", "25.05", "25.11", "26.05"],
        Field(description='Slurm version, in quotes: "25.11".'),
    ] = "25.11"
    efa_interface: Annotated[
        Literal["efa", "efa-only"],
        Field(
            description="Kind of the EFA interfaces. efa: as in all of PCS's own examples, an address for each; "
            "efa-only: as EC2 recommends, one address a node. Sources disagree on whether PCS takes efa-only."
        ),
    ] = "efa"


Orchestrator = Annotated[HyperPodSlurm | HyperPodEks | Eks | Pcs, Field(discriminator="kind")]
AnyOrchestrator = HyperPodSlurm | HyperPodEks | Eks | Pcs


def version_of(orchestrator: HyperPodEks | Eks | Pcs) -> tuple[str, str]:
    """The key and the value of a control plane's version."""
    if isinstance(orchestrator, Pcs):
        return "slurm_version", orchestrator.slurm_version
    return "kubernetes_version", orchestrator.kubernetes_version
