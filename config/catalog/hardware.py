"""Instance types and UltraServers with their network cards, GPUs, prices and limits.

Bandwidths are in Gbps (10^9 bits per second) and memory is in GiB, unless a name has another unit. None means
that AWS does not publish the value. ``sources_of`` returns the sources of a value.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Literal

Arch = Literal["x86_64", "arm64"]
Architecture = Literal["ampere", "ada", "hopper", "blackwell"]
CapacityKind = Literal["on-demand", "spot", "odcr", "capacity-block", "training-plan"]
PriceKind = Literal["on-demand", "capacity-block", "hyperpod"]
"""Types of prices; `hyperpod` is SageMaker's on-demand price of the ml. type."""
Sources = Mapping[str, tuple[str, ...]]


class Sourced:
    """Base class of objects with sources for each field."""

    __slots__ = ()
    sources: Sources

    def sources_of(self, field_name: str) -> tuple[str, ...]:
        """Return the source keys of a field; if it has none, the source keys of the whole row (``*``)."""
        return self.sources.get(field_name) or self.sources.get("*", ())


class InterfaceType(StrEnum):
    """EC2's interface type in a launch template (InterfaceType)."""

    INTERFACE = "interface"
    EFA = "efa"
    EFA_ONLY = "efa-only"

    @property
    def has_efa(self) -> bool:
        """Whether the interface carries an EFA device."""
        return self is not InterfaceType.INTERFACE

    @property
    def has_address(self) -> bool:
        """Whether the interface uses an IPv4 address of its subnet; ``efa-only`` does not."""
        return self is not InterfaceType.EFA_ONLY


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """A network interface in a launch template."""

    network_card_index: int
    device_index: int
    interface_type: InterfaceType


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkCard:
    """A network card, with the interfaces that can be attached to it.

    ``efa_gbps_max`` and ``ena_gbps_max`` are the maximum of one card; several cards together may have less
    (see InstanceType.efa_gbps and ena_gbps). The two cards of ``nic_pair`` share a physical NIC, and the two
    cards of ``gpu_pair`` share the path to a GPU; None if AWS does not document a pair.
    """

    index: int
    max_interfaces: int
    supports: frozenset[InterfaceType]
    efa_gbps_max: float
    ena_gbps_max: float | None
    nic_pair: tuple[int, int] | None = None
    gpu_pair: tuple[int, int] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A complete list of interfaces of an instance; the tests check it against the network cards."""

    name: str
    interfaces: tuple[Interface, ...]
    confidence: str
    source: tuple[str, ...]
    efa_gbps: float | None = None
    ena_gbps: float | None = None
    note: str = ""

    @property
    def efa_count(self) -> int:
        """Number of EFA devices."""
        return sum(i.interface_type.has_efa for i in self.interfaces)

    @property
    def addresses(self) -> int:
        """Number of IPv4 addresses that an instance uses at launch.

        ``interface`` and ``efa`` use one address each, ``efa-only`` does not use an address (EFAACC).
        """
        return sum(i.interface_type.has_address for i in self.interfaces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A GPU model, with dense peak performance (no sparsity) in TFLOPS and memory bandwidth in TB/s.

    ``architecture`` is NVIDIA's name; the available DCGM metrics depend on it. The NVLink bandwidth is in
    GB/s per GPU, both directions together.
    """

    key: str
    model: str
    architecture: Architecture
    bf16_tflops: float | None
    fp8_tflops: float | None
    fp4_tflops: float | None
    hbm_tb_per_s: float | None
    nvlink_gb_per_s_per_gpu: float | None
    sources: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuFit:
    """The GPUs of an instance type."""

    gpu: Gpu
    count: int
    memory_gib_each: float

    @property
    def memory_gib(self) -> float:
        """Total GPU memory of an instance, in GiB."""
        return self.count * self.memory_gib_each


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalNvme:
    """Instance store: number of disks, and decimal GB of each as EC2 reports them (3800, not 3840)."""

    count: int
    gb_each: int

    @property
    def gb(self) -> int:
        """Total decimal GB of all disks."""
        return self.count * self.gb_each


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The price of an instance or an UltraServer per hour.

    ``usd_per_hour_min`` is set if the source has a price range; ``usd_per_hour`` is then its upper end.
    ``region`` is a Region, or a Local Zone for an offer in that zone only.
    """

    usd_per_hour: float
    region: str
    kind: PriceKind
    as_of: date
    source: str
    note: str = ""
    usd_per_hour_min: float | None = None


class Priced:
    """Base class of objects with prices per hour."""

    __slots__ = ()
    prices: tuple[Price, ...]

    def price(self, kind: str, region: str) -> Price | None:
        """Return the newest price of this type in the Region or Local Zone; None if there is none."""
        fitting = [p for p in self.prices if p.kind == kind and p.region == region]
        return max(fitting, key=lambda p: p.as_of, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceType(Priced, Sourced):
    """An EC2 instance type.

    ``network_gbps`` is the API's network performance. ``efa_gbps`` is the usable EFA bandwidth of an instance
    (half of ``network_gbps`` on p6e-gb200, 0 without EFA). ``ena_gbps`` is the maximum IP bandwidth over all
    cards. ``max_interfaces`` is the API's total, which equals the total of the cards.

    ``capacity_kinds`` are the documented purchase options. ``capacity_kinds_uncertain`` are the options for
    which the sources disagree or do not mention the type. Rules report an option only if it is in neither
    list. ``nvlink_domain_gpus`` is the number of GPUs of an instance in one NVLink domain: 1 for a GPU
    without NVLink, 0 without a GPU. A domain of several instances belongs to the UltraServer.

    ``lustre_client_efa_interfaces`` is the number of interfaces that AWS's script configures for a Lustre
    client. Each interface uses one of the 1024 connections of a file system. The number is None if the type
    does not support EFA to Lustre, or if the support is not known. ``network_layers`` is the number of layers
    in EC2's instance topology (0 for none), which a topology-aware scheduler can use as levels.
    ``layouts_absent`` has the reason for each missing layout.
    """

    name: str
    family: str
    vcpus: int
    cores: int
    threads_per_core: int
    memory_gib: int
    arch: Arch
    cpu: str | None
    nitro: str | None
    gpu: GpuFit | None
    efa_generation: str | None
    rdma_read: bool | None
    rdma_write: bool | None
    gpudirect_rdma: bool | None
    network_gbps: float
    efa_gbps: float
    ena_gbps: float | None
    cards: tuple[NetworkCard, ...]
    max_efa: int
    max_interfaces: int
    ipv4_per_interface: int
    layouts: Mapping[str, Layout] = field(hash=False)
    layouts_absent: Mapping[str, str] = field(hash=False)
    local_nvme: LocalNvme | None
    ebs_gbps: float
    ebs_iops: int | None
    ebs_volumes_max: int | None
    nvlink_domain_gpus: int
    nvlink_aggregate_tb_per_s: float | None
    cluster_placement_group: bool
    capacity_kinds: frozenset[CapacityKind]
    capacity_kinds_uncertain: frozenset[CapacityKind]
    ultraserver_only: bool
    future_dated_odcr: bool
    hyperpod_name: str | None
    eks_ami_types: tuple[str, ...]
    max_pods: int | None
    max_pods_with_efa_on_card_0: int | None
    non_efa_rdma_devices: int
    network_layers: int | None
    lustre_client_efa_interfaces: int | None
    gpudirect_storage: bool
    capacity_block_regions: tuple[str, ...]
    on_demand_regions: tuple[str, ...]
    prices: tuple[Price, ...]
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()

    @property
    def is_gpu(self) -> bool:
        """Whether the instance type has GPUs."""
        return self.gpu is not None

    def efa_gbps_of(self, layout: Layout) -> float:
        """Return the EFA bandwidth of a layout: the total of its cards, limited by the instance."""
        used = {i.network_card_index for i in layout.interfaces if i.interface_type.has_efa}
        return min(sum(card.efa_gbps_max for card in self.cards if card.index in used), self.efa_gbps)


@dataclass(frozen=True, slots=True, kw_only=True)
class UltraServer(Priced, Sourced):
    """An UltraServer: instances in one NVLink domain that can only be reserved together.

    ``instance_type`` is the type of its instances. All values are for the whole UltraServer.
    """

    name: str
    instance_type: str
    instances: int
    gpus: int
    nvlink_domain_gpus: int
    nvlink_domain_tb_per_s: float | None
    vcpus: int
    memory_gib: int
    gpu_memory_gb: int
    local_nvme_tb: float
    efa_gbps: float
    ebs_gbps: float
    zone: str
    hyperpod_name: str
    prices: tuple[Price, ...]
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()
