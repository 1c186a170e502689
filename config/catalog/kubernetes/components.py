"""What runs in a Kubernetes cluster: what components ask of Kubernetes, and what they know of machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from config.catalog.files import facts_of, read_one
from config.catalog.hardware import Sources
from config.catalog.slurm.pcs import is_older


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesComponents:
    """The facts. `from_kubernetes` is the first Kubernetes version of a component.

    ``needs_dra`` and ``karpenter_refused_families`` are families of instance types, ``efa_plugin_types`` the
    types whose nodes the EFA device plugin's chart runs on.
    """

    from_kubernetes: Mapping[str, str] = field(hash=False)
    needs_dra: tuple[str, ...]
    efa_plugin_types: tuple[str, ...]
    karpenter_refused_families: tuple[str, ...]
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()

    def runs_under(self, component: str, kubernetes: str) -> bool:
        """Whether a component runs under a Kubernetes version."""
        return not is_older(kubernetes, self.from_kubernetes.get(component, "1.0"))


@cache
def kubernetes_components() -> KubernetesComponents:
    """The facts, read on the first call."""
    document = read_one("kubernetes-components")
    return KubernetesComponents(**facts_of(document))
