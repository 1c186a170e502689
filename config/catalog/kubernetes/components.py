"""Kubernetes versions and instance families that cluster components support."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from config.catalog.files import facts_of, read_one
from config.catalog.hardware import Sources
from config.catalog.slurm.pcs import is_older


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesComponents:
    """Facts about components.

    `from_kubernetes` is the first Kubernetes version that supports a component. ``needs_dra`` are instance
    families that require DRA, and ``karpenter_refused_families`` are those that Karpenter does not support.
    ``efa_plugin_types`` are the instance types on which the chart of the EFA device plugin runs.
    """

    from_kubernetes: Mapping[str, str] = field(hash=False)
    needs_dra: tuple[str, ...]
    efa_plugin_types: tuple[str, ...]
    karpenter_refused_families: tuple[str, ...]
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()

    def runs_under(self, component: str, kubernetes: str) -> bool:
        """Return whether a Kubernetes version supports a component."""
        return not is_older(kubernetes, self.from_kubernetes.get(component, "1.0"))


@cache
def kubernetes_components() -> KubernetesComponents:
    """Return the facts, read at the first call."""
    document = read_one("kubernetes-components")
    return KubernetesComponents(**facts_of(document))
