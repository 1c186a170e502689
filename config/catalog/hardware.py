"""What a machine is: its interfaces, GPUs, prices and limits.

Bandwidths are in Gbps (10^9 bits a second) and memory in GiB, unless a name says otherwise. None means that
no source states the figure; nothing is guessed. Where a figure comes from is said by ``sources_of``.
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
"""hyperpod: SageMaker's own price of the ml. type on demand."""
Sources = Mapping[str, tuple[str, ...]]


class Sourced:
    """What says by the name of a field where its value comes from."""

    __slots__ = ()
    sources: Sources

    def sources_of(self, field_name: str) -> tuple[str, ...]:
        """Return the source keys of one field: its own, else those of the whole row (``*``)."""
        return self.sources.get(field_name) or self.sources.get("*", ())


class InterfaceType(StrEnum):
    """How a network interface is attached, in EC2's words (InterfaceType of a launch template)."""

    INTERFACE = "interface"
    EFA = "efa"
    EFA_ONLY = "efa-only"

    @property
    def has_efa(self) -> bool:
        """Whether the interface carries an EFA device."""
        return self is not InterfaceType.INTERFACE

    @property
    def has_address(self) -> bool:
        """Whether the interface takes an IPv4 address of its subnet; ``efa-only`` takes none."""
        return self is not InterfaceType.EFA_ONLY


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """One network interface of a launch template."""

    network_card_index: int
    device_index: int
    interface_type: InterfaceType


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkCard:
    """One network card, with what may be attached to it.

    ``efa_gbps_max`` and ``ena_gbps_max`` are what one card can carry alone; several cards may share less (see
    InstanceType.efa_gbps and ena_gbps). ``nic_pair`` and ``gpu_pair`` name the cards that share one physical
    NIC or one GPU's path, when the sources describe such sharing.
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
    """A complete list of interfaces for one machine, proven against its cards by the tests."""

    name: str
    interfaces: tuple[Interface, ...]
    confidence: str
    source: tuple[str, ...]
    efa_gbps: float | None = None
    ena_gbps: float | None = None
    note: str = ""

    @property
    def efa_count(self) -> int:
        """How many EFA devices the layout has."""
        return sum(i.interface_type.has_efa for i in self.interfaces)

    @property
    def addresses(self) -> int:
        """How many IPv4 addresses of the subnet one machine takes at launch.

        ``interface`` and ``efa`` cost one each, ``efa-only`` none (EFAACC).
        """
        return sum(i.interface_type.has_address for i in self.interfaces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A GPU model: dense peaks (no sparsity) in TFLOPS, memory bandwidth in TB/s.

    ``architecture`` is NVIDIA's name of it: what can be measured goes by it.
    NVLink is in GB/s for one GPU, both directions together.
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
    """The GPUs of one machine."""

    gpu: Gpu
    count: int
    memory_gib_each: float

    @property
    def memory_gib(self) -> float:
        """GPU memory of the whole machine, in GiB."""
        return self.count * self.memory_gib_each


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalNvme:
    """Instance store: disks and decimal GB each, as EC2 reports them (3800, not the marketed 3840)."""

    count: int
    gb_each: int

    @property
    def gb(self) -> int:
        """Decimal GB of all disks together."""
        return self.count * self.gb_each


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What one machine, or one UltraServer, costs an hour.

    ``usd_per_hour_min`` is set where the source gives a range; ``usd_per_hour`` is then its upper end.
    ``region`` is a Region, or a Local Zone where the offer is sold in that zone alone.
    """

    usd_per_hour: float
    region: str
    kind: PriceKind
    as_of: date
    source: str
    note: str = ""
    usd_per_hour_min: float | None = None


class Priced:
    """What is sold by the hour."""

    __slots__ = ()
    prices: tuple[Price, ...]

    def price(self, kind: str, region: str) -> Price | None:
        """Return the newest price of that kind in that Region or Local Zone, or None; no other one counts."""
        fitting = [p for p in self.prices if p.kind == kind and p.region == region]
        return max(fitting, key=lambda p: p.as_of, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceType(Priced, Sourced):
    """One EC2 instance type.

    ``network_gbps`` is the API's network performance; ``efa_gbps`` is what EFA can really use in one machine
    (half of it on p6e-gb200, 0 without EFA). ``ena_gbps`` is the most IP bandwidth over all cards.
    ``max_interfaces`` is the API's total, which equals the sum over the cards.

    ``capacity_kinds`` are the ways it is sold for certain; for ``capacity_kinds_uncertain`` the sources
    disagree or are silent: refuse only what is in neither. ``nvlink_domain_gpus`` is how many GPUs of this
    machine reach each other over NVLink: 1 for a GPU without NVLink, 0 without a GPU; a domain that spans
    machines is the UltraServer's.

    ``lustre_client_efa_interfaces`` is how many interfaces AWS's script gives an FSx for Lustre client, of
    the 1024 connections of a file system; None where EFA to Lustre is not supported or not known.
    ``network_layers`` is how many layers EC2's instance topology reports (0: none at all), which is how many
    levels a topology-aware scheduler may name. ``layouts_absent`` says why a usual layout is missing.
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
        """Whether the machine has GPUs."""
        return self.gpu is not None

    def efa_gbps_of(self, layout: Layout) -> float:
        """Return the EFA bandwidth of a layout: what its cards carry, capped by the machine."""
        used = {i.network_card_index for i in layout.interfaces if i.interface_type.has_efa}
        return min(sum(card.efa_gbps_max for card in self.cards if card.index in used), self.efa_gbps)


@dataclass(frozen=True, slots=True, kw_only=True)
class UltraServer(Priced, Sourced):
    """A unit of machines in one NVLink domain, sold and reserved only as a whole.

    ``instance_type`` names the machine in it; figures are those of the whole unit.
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
