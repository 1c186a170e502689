"""Amounts of what a node has: whole figures by resource, so that shares add up to what there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

CPU = "cpu"
MEMORY = "memory"
GPU = "nvidia.com/gpu"
EFA = "vpc.amazonaws.com/efa"
HUGEPAGES = "hugepages-2Mi"
PODS = "pods"
IMEX = "ultracluster/imex-channel"
"""What pods claim to reach GPUs of other nodes over NVLink: one for each node."""

COVERED = (CPU, MEMORY, GPU, EFA, HUGEPAGES, PODS)
"""What every quota counts. A job that asks for a resource which its queue does not count waits for ever."""

DEVICE_CLASSES: Mapping[str, str] = {
    GPU: "gpu.nvidia.com",
    EFA: "efa.networking.k8s.aws",
    IMEX: "compute-domain-default-channel.nvidia.com",
}
"""Devices that pods claim (dynamic resource allocation) count as what device plugins give: one quota for
both, and no node gives the same devices both ways."""

_MIB = frozenset((MEMORY, HUGEPAGES))

Amounts = Mapping[str, int]
"""By resource: cpu in thousandths, memory and huge pages in MiB, everything else in pieces."""


def times(amounts: Amounts, number: int) -> dict[str, int]:
    """So many times the amounts."""
    return {name: number * value for name, value in amounts.items()}


def part_of(amounts: Amounts, gpus: int) -> dict[str, int]:
    """What goes with so many GPUs of a node that has the amounts, rounded down; whole nodes are exact."""
    return {name: value * gpus // amounts[GPU] for name, value in amounts.items()}


def total(several: Iterable[Amounts]) -> dict[str, int]:
    """The sum of amounts."""
    found: dict[str, int] = {}
    for amounts in several:
        for name, value in amounts.items():
            found[name] = found.get(name, 0) + value
    return found


def less(amounts: Amounts, taken: Amounts) -> dict[str, int]:
    """What is left, nothing where more is taken than there is."""
    return {name: max(0, value - taken.get(name, 0)) for name, value in amounts.items()}


def quantity(name: str, value: int) -> str:
    """An amount as Kubernetes writes it: `191450m`, `2086912Mi`, `8`."""
    if name == CPU:
        return str(value // 1000) if value % 1000 == 0 else f"{value}m"
    return f"{value}Mi" if name in _MIB and value else str(value)


def quantities(amounts: Amounts) -> dict[str, str]:
    """Amounts as Kubernetes writes them."""
    return {name: quantity(name, value) for name, value in amounts.items()}


DRA_SINCE = (1, 34)
"""The first Kubernetes whose claims of devices are counted
(https://kueue.sigs.k8s.io/docs/tasks/manage/setup_dra)."""


def counts_claims(kubernetes_version: str) -> bool:
    """Whether claimed devices count as given ones do."""
    return tuple(map(int, kubernetes_version.split("."))) >= DRA_SINCE
