"""Amounts of node resources in integers, so that shares add up to the total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

CPU = "cpu"
MEMORY = "memory"
GPU = "nvidia.com/gpu"
EFA = "vpc.amazonaws.com/efa"
HUGEPAGES = "hugepages-2Mi"
PODS = "pods"
IMEX = "ultracluster/imex-channel"
"""Resource that pods claim to reach GPUs of other nodes over NVLink: one for each node."""

COVERED = (CPU, MEMORY, GPU, EFA, HUGEPAGES, PODS)
"""Resources that every quota counts. A job that requests a resource outside its quota is never admitted."""

DEVICE_CLASSES: Mapping[str, str] = {
    GPU: "gpu.nvidia.com",
    EFA: "efa.networking.k8s.aws",
    IMEX: "compute-domain-default-channel.nvidia.com",
}
"""Claimed devices (dynamic resource allocation) count like devices of plugins. One quota covers claimed
devices and devices of plugins; a node allocates its devices in one way only."""

_MIB = frozenset((MEMORY, HUGEPAGES))

Amounts = Mapping[str, int]
"""Amounts by resource: cpu in thousandths of a core, memory and huge pages in MiB, others as counts."""


def times(amounts: Amounts, number: int) -> dict[str, int]:
    """Return the amounts multiplied by a number."""
    return {name: number * value for name, value in amounts.items()}


def part_of(amounts: Amounts, gpus: int) -> dict[str, int]:
    """Return the amounts for `gpus` GPUs, in proportion to the GPUs of the node and rounded down."""
    return {name: value * gpus // amounts[GPU] for name, value in amounts.items()}


def total(several: Iterable[Amounts]) -> dict[str, int]:
    """Return the total of the amounts."""
    found: dict[str, int] = {}
    for amounts in several:
        for name, value in amounts.items():
            found[name] = found.get(name, 0) + value
    return found


def less(amounts: Amounts, taken: Amounts) -> dict[str, int]:
    """Return the remaining amounts, 0 if more is used than available."""
    return {name: max(0, value - taken.get(name, 0)) for name, value in amounts.items()}


def quantity(name: str, value: int) -> str:
    """Return an amount in Kubernetes notation: `191450m`, `2086912Mi`, `8`."""
    if name == CPU:
        return str(value // 1000) if value % 1000 == 0 else f"{value}m"
    return f"{value}Mi" if name in _MIB and value else str(value)


def quantities(amounts: Amounts) -> dict[str, str]:
    """Return amounts in Kubernetes notation."""
    return {name: quantity(name, value) for name, value in amounts.items()}


DRA_SINCE = (1, 34)
"""First Kubernetes version in which schedulers count device claims
(https://kueue.sigs.k8s.io/docs/tasks/manage/setup_dra)."""


def counts_claims(kubernetes_version: str) -> bool:
    """Return whether claimed devices count like those of device plugins."""
    return tuple(map(int, kubernetes_version.split("."))) >= DRA_SINCE
