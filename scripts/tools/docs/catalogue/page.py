"""docs/reference/catalogue.md: what is known of machines, places and storage, with sources and conflicts."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import InstanceType, Layout, LustreTier, Price, Region, catalog
from scripts.tools.docs.catalogue.control_planes import control_planes
from scripts.tools.docs.catalogue.storage import openzfs, s3_express
from scripts.tools.docs.markdown import number, page, source, table, words

_INTRO = """Facts as data: a new instance type is a new row in `config/catalog/data/`, never a new branch.
A dash is what no source states. Prices are what a public page listed on the date given; they age."""

_INTERFACES = """EFA bandwidth is what one machine can really use. A layout gives EFA interfaces and IPv4
addresses of a node. Which cards carry EFA differs by family, so layouts are listed, never computed."""

_CAPACITY = """USD for one machine and hour. Kinds in parentheses: the sources disagree or are silent, so they
are not refused."""


def catalogue_page() -> str:
    """The page: machines first, then what they are bought for and where, conflicts and sources last."""
    return page(
        "Catalogue",
        _INTRO,
        f"Generated from data of {catalog().generated}.",
        *_machines(),
        *_gpus(),
        *_ultraservers(),
        *control_planes(),
        *_places(),
        *_lustre(),
        *openzfs(),
        *s3_express(),
        *_conflicts(),
        *_sources(),
    )


def _instances() -> list[InstanceType]:
    """GPU types before CPU types; families by name, the machines of one by size."""
    rows = catalog().instances.values()
    return sorted(rows, key=lambda row: (not row.is_gpu, row.family, row.vcpus, row.name))


_MACHINE = (
    "type", "vCPU", "memory GiB", "GPUs", "GPU memory GiB", "NVLink domain", "local NVMe GB", "HyperPod",
)  # fmt: skip
_INTERFACE = ("type", "EFA", "EFA Gbps", "cards", "most EFA", "layouts")


def _machines() -> Iterator[str]:
    yield "## Instance types"
    yield table(_MACHINE, map(_machine, _instances()))
    yield "## Interfaces"
    yield _INTERFACES
    yield table(_INTERFACE, (_interfaces(row) for row in _instances() if row.max_efa))
    yield "## Capacity and prices"
    yield _CAPACITY
    yield table(("type", "sold as", "on demand", "Capacity Block"), map(_offer, _instances()))
    yield "Types that AWS names but that have no public interface layout are refused:"
    yield table(("type", "reason"), ((row.name, row.reason) for _, row in sorted(catalog().unlaid.items())))


def _machine(row: InstanceType) -> tuple[object, ...]:
    gpus = f"{row.gpu.count} x {row.gpu.gpu.model}" if row.gpu else "-"
    memory = number(round(row.gpu.memory_gib, 1)) if row.gpu else "-"
    nvme = number(row.local_nvme.gb) if row.local_nvme else "-"
    return (
        row.name,
        row.vcpus,
        row.memory_gib,
        gpus,
        memory,
        row.nvlink_domain_gpus or "-",
        nvme,
        _yes(row.hyperpod_name is not None),
    )


def _interfaces(row: InstanceType) -> tuple[object, ...]:
    layouts = "; ".join(_layout(layout) for _, layout in sorted(row.layouts.items()))
    return row.name, row.efa_generation or "-", number(row.efa_gbps), len(row.cards), row.max_efa, layouts


def _layout(layout: Layout) -> str:
    addresses = "1 address" if layout.addresses == 1 else f"{layout.addresses} addresses"
    return f"`{layout.name}`: {layout.efa_count} EFA, {addresses}"


def _offer(row: InstanceType) -> tuple[object, ...]:
    sold = words(row.capacity_kinds)
    unsure = f" ({words(row.capacity_kinds_uncertain)})" if row.capacity_kinds_uncertain else ""
    return row.name, sold + unsure, _prices(row.prices, "on-demand"), _prices(row.prices, "capacity-block")


def _prices(prices: tuple[Price, ...], kind: str) -> str:
    """Regions of one price together: 113.9328 (us-east-1; 2026-07-20)."""
    regions: dict[tuple[str, str], list[str]] = {}
    for price in prices:
        if price.kind == kind:
            low = "" if price.usd_per_hour_min is None else f"{number(price.usd_per_hour_min)} to "
            regions.setdefault((low + number(price.usd_per_hour), str(price.as_of)), []).append(price.region)
    listed = (f"{usd} ({', '.join(sorted(where))}; {day})" for (usd, day), where in regions.items())
    return "; ".join(listed) or "-"


def _gpus() -> Iterator[str]:
    yield "## GPUs"
    yield "Dense peaks of one GPU in TFLOPS; NVLink in GB/s for one GPU, both directions together."
    head = ("GPU", "BF16", "FP8", "FP4", "memory TB/s", "NVLink GB/s", "note")
    figures = ("bf16_tflops", "fp8_tflops", "fp4_tflops", "hbm_tb_per_s", "nvlink_gb_per_s_per_gpu")
    rows = (
        (row.model, *(number(getattr(row, figure)) for figure in figures), row.note or "-")
        for _, row in sorted(catalog().gpus.items())
    )
    yield table(head, rows)


def _ultraservers() -> Iterator[str]:
    yield "## UltraServers"
    yield "Machines in one NVLink domain, reserved only as a whole."
    head = ("UltraServer", "machines", "GPUs", "NVLink domain", "EFA Gbps", "zone", "Capacity Block")
    rows = (
        (name, f"{row.instances} x {row.instance_type}", row.gpus, row.nvlink_domain_gpus,
         number(row.efa_gbps), row.zone, _prices(row.prices, "capacity-block"))
        for name, row in sorted(catalog().ultraservers.items())
    )  # fmt: skip
    yield table(head, rows)


def _places() -> Iterator[str]:
    yield "## Regions"
    yield "What CloudFormation can create there; Lustre is persistent-2 on SSD, its tiers in MB/s per TiB."
    head = ("Region", "HyperPod", "Grafana", "Prometheus", "PCS", "Lustre", "Lustre with EFA")
    yield table(head, (_region(row) for _, row in sorted(catalog().regions.items())))


def _region(row: Region) -> tuple[object, ...]:
    services = (row.hyperpod, row.grafana, row.prometheus, row.pcs)
    tiers = sorted(row.lustre.throughputs_mbps_per_tib) if row.lustre else []
    offered = "-" if row.lustre is None else ", ".join(map(str, tiers)) or "none"
    return row.name, *map(_yes, services), offered, _yes(row.lustre_efa)


def _yes(flag: bool | None) -> str:
    return "-" if flag is None else "yes" if flag else "no"


_TIER = (
    "MB/s per TiB", "unit with EFA, GiB", "network MB/s per TiB", "burst", "disk burst", "cache GiB per TiB",
)  # fmt: skip


def _lustre() -> Iterator[str]:
    facts = catalog().lustre
    small = " or ".join(map(str, facts.small_capacities_gib))
    yield "## Lustre tiers"
    yield (
        f"Capacity with EFA is a multiple of the unit, which is also one file server; without EFA it is "
        f"{small} GiB or a multiple of {facts.capacity_step_gib} GiB, with a server for each "
        f"{facts.gib_per_server_without_efa} GiB. A file system takes {facts.max_efa_connections} EFA "
        f"connections and {facts.max_data_repository_associations} data repositories."
    )
    yield table(_TIER, (_tier(row) for _, row in sorted(facts.tiers.items())))
    steps = ", ".join(f"{step.iops} from {step.from_gib} GiB" for step in facts.metadata_steps)
    growth = f"{facts.metadata_growth_iops} for each {facts.metadata_growth_gib} GiB"
    yield f"Metadata IOPS where none are stated: {steps}, then {growth}."


def _tier(row: LustreTier) -> tuple[object, ...]:
    return (
        row.throughput_mbps_per_tib,
        row.efa_capacity_unit_gib,
        row.network_baseline_mbps_per_tib,
        number(row.network_burst_mbps_per_tib),
        number(row.disk_burst_mbps_per_tib),
        number(row.ram_cache_gib_per_tib),
    )


def _conflicts() -> Iterator[str]:
    yield "## Where sources disagree"
    rows = (
        (row.subject, f"`{row.field}`", "; ".join(f"{claim.value} ({claim.source})" for claim in row.values),
         row.chosen, row.reason)
        for row in catalog().conflicts
    )  # fmt: skip
    yield table(("subject", "field", "claims", "chosen", "reason"), rows)


def _sources() -> Iterator[str]:
    yield "## Sources"
    yield table(("key", "source"), ((key, source(text)) for key, text in sorted(catalog().sources.items())))
