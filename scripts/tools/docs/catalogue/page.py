"""Generator of docs/reference/catalogue.md: instance types, Regions, storage, conflicts and sources."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import InstanceType, Layout, LustreTier, Price, Region, catalog
from scripts.tools.docs.catalogue.control_planes import control_planes
from scripts.tools.docs.catalogue.storage import openzfs, s3_express
from scripts.tools.docs.markdown import code_list, number, page, source, table

_INTRO = """The catalogue contains facts about AWS as data. To add an instance type, add a row in
`config/catalog/data/`. A dash means that AWS does not publish the value. Prices are list prices on the
given date and can change."""

_INTERFACES = """EFA bandwidth is the usable bandwidth of one instance. A layout sets the EFA interfaces
and IPv4 addresses of a node. Layouts are listed, not calculated, because the network cards with EFA depend
on the family."""

_CAPACITY = """Prices are in USD per instance and hour. For purchase options in parentheses, sources
disagree or do not have the information, so the rules do not reject them."""


def catalogue_page() -> str:
    """Return the page: instances, purchase options, Regions, storage, conflicts and sources."""
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
    """Return GPU types before CPU types, sorted by family and size."""
    rows = catalog().instances.values()
    return sorted(rows, key=lambda row: (not row.is_gpu, row.family, row.vcpus, row.name))


_MACHINE = (
    "type", "vCPU", "memory GiB", "GPUs", "GPU memory GiB", "NVLink domain", "local NVMe GB", "HyperPod",
)  # fmt: skip
_INTERFACE = ("type", "EFA", "EFA Gbps", "cards", "maximum EFA", "layouts")


def _machines() -> Iterator[str]:
    yield "## Instance types"
    yield table(_MACHINE, map(_machine, _instances()))
    yield "## Interfaces"
    yield _INTERFACES
    yield table(_INTERFACE, (_interfaces(row) for row in _instances() if row.max_efa))
    yield "## Capacity and prices"
    yield _CAPACITY
    yield table(("type", "purchase options", "on demand", "Capacity Block"), map(_offer, _instances()))
    yield "The rules reject these types, because AWS does not publish their interface layout:"
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
    sold = code_list(row.capacity_kinds)
    unsure = f" ({code_list(row.capacity_kinds_uncertain)})" if row.capacity_kinds_uncertain else ""
    return row.name, sold + unsure, _prices(row.prices, "on-demand"), _prices(row.prices, "capacity-block")


def _prices(prices: tuple[Price, ...], kind: str) -> str:
    """Return the prices, each with its Regions and date, for example `113.9328 (us-east-1; 2026-07-20)`."""
    regions: dict[tuple[str, str], list[str]] = {}
    for price in prices:
        if price.kind == kind:
            low = "" if price.usd_per_hour_min is None else f"{number(price.usd_per_hour_min)} to "
            regions.setdefault((low + number(price.usd_per_hour), str(price.as_of)), []).append(price.region)
    listed = (f"{usd} ({', '.join(sorted(where))}; {day})" for (usd, day), where in regions.items())
    return "; ".join(listed) or "-"


def _gpus() -> Iterator[str]:
    yield "## GPUs"
    yield "Peak TFLOPS per GPU without sparsity; NVLink in GB/s per GPU, total of both directions."
    head = ("GPU", "BF16", "FP8", "FP4", "memory TB/s", "NVLink GB/s", "note")
    figures = ("bf16_tflops", "fp8_tflops", "fp4_tflops", "hbm_tb_per_s", "nvlink_gb_per_s_per_gpu")
    rows = (
        (row.model, *(number(getattr(row, figure)) for figure in figures), row.note or "-")
        for _, row in sorted(catalog().gpus.items())
    )
    yield table(head, rows)


def _ultraservers() -> Iterator[str]:
    yield "## UltraServers"
    yield "Instances in one NVLink domain. You can reserve only a whole UltraServer."
    head = ("UltraServer", "instances", "GPUs", "NVLink domain", "EFA Gbps", "zone", "Capacity Block")
    rows = (
        (name, f"{row.instances} x {row.instance_type}", row.gpus, row.nvlink_domain_gpus,
         number(row.efa_gbps), row.zone, _prices(row.prices, "capacity-block"))
        for name, row in sorted(catalog().ultraservers.items())
    )  # fmt: skip
    yield table(head, rows)


def _places() -> Iterator[str]:
    yield "## Regions"
    yield "Resources that CloudFormation can create. Lustre: tiers of persistent-2 on SSD in MB/s per TiB."
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
        "With EFA, the capacity is a multiple of the unit, which is also the capacity of a file server. "
        f"Without EFA, it is {small} GiB or a multiple of {facts.capacity_step_gib} GiB, with 1 server per "
        f"{facts.gib_per_server_without_efa} GiB. The maximum per file system is "
        f"{facts.max_efa_connections} EFA connections and {facts.max_data_repository_associations} data "
        "repositories."
    )
    yield table(_TIER, (_tier(row) for _, row in sorted(facts.tiers.items())))
    steps = ", ".join(f"{step.iops} from {step.from_gib} GiB" for step in facts.metadata_steps)
    growth = f"{facts.metadata_growth_iops} for each {facts.metadata_growth_gib} GiB"
    yield f"Automatic metadata IOPS: {steps}, then {growth} more."


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
    yield "## Conflicts between sources"
    rows = (
        (row.subject, f"`{row.field}`", "; ".join(f"{claim.value} ({claim.source})" for claim in row.values),
         row.chosen, row.reason)
        for row in catalog().conflicts
    )  # fmt: skip
    yield table(("subject", "field", "claims", "chosen", "reason"), rows)


def _sources() -> Iterator[str]:
    yield "## Sources"
    yield table(("key", "source"), ((key, source(text)) for key, text in sorted(catalog().sources.items())))
