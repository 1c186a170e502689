"""The control plane of a profile."""

from __future__ import annotations

from typing import Annotated

from config.profile.base import ByKind
from config.profile.kubernetes.eks import Eks
from config.profile.kubernetes.hyperpod_eks import HyperPodEks
from config.profile.slurm.hyperpod import HyperPodSlurm
from config.profile.slurm.pcs import Pcs

__all__ = ["AnyOrchestrator", "Eks", "HyperPodEks", "HyperPodSlurm", "Orchestrator", "Pcs", "version_of"]

ORCHESTRATORS = ("hyperpod-slurm", "hyperpod-eks", "eks", "pcs")
"""The supported control planes."""

Orchestrator = Annotated[HyperPodSlurm | HyperPodEks | Eks | Pcs, ByKind()]
AnyOrchestrator = HyperPodSlurm | HyperPodEks | Eks | Pcs


def version_of(orchestrator: HyperPodEks | Eks | Pcs) -> tuple[str, str]:
    """Return the key and the value of a control plane's version."""
    if isinstance(orchestrator, Pcs):
        return "slurm_version", orchestrator.slurm_version
    return "kubernetes_version", orchestrator.kubernetes_version
