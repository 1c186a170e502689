"""Generator of reference/storage-plan.md: formulas of the storage plan, sources and examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from config.catalog import Lustre, catalog
from config.catalog.workload.checkpoints import Checkpoints
from config.design.storage.bandwidth import provisioned_mbps
from config.design.storage.checkpoints import checkpoint_gb, seconds_to_move
from config.design.storage.formulas import BANDWIDTH, CHECKPOINTS, FORMULAS, Formula
from config.design.storage.recovery import WORTHWHILE
from scripts.tools.docs.markdown import number, page, source, table

_INTRO = """This page lists the formulas and constants that `ultracluster plan` uses for storage. The names
in the formulas are those in the code; a test evaluates each formula on this page and compares the result
with the code. Units: MB/s are 10^6 bytes per second, Gbps 10^9 bits per second, GB 10^9 bytes, GiB 2^30
bytes. A TiB is 1024 GiB of the file system's capacity."""

_CHECKPOINT = """The number of bytes per parameter depends on the tensors that the program saves. The
default of `workload.bytes_per_parameter` is 14. Few programs save gradients. AWS does not publish a value."""

_LIMITS = """\
- The plan uses the baseline throughput of the disks. Burst throughput uses credits, which can be exhausted
  when the next checkpoint starts.
- The write time depends on the slowest of disk baseline, network baseline and all clients. So does the
  restore time, because restored data is usually not in the servers' memory cache.
- Over ENA, a client has a limited throughput to each file server. File systems with EFA have few, large
  servers. Nodes without EFA, and EFA nodes that fell back to TCP, reach only a fraction of the throughput.
- AWS does not publish the throughput of automatic export to S3. Exported data uses the network of the file
  servers; data that is not in their memory cache also uses the disks. The plan prints the minimum time
  from both. The metric `AgeOfOldestQueuedMessage` of the export shows the actual delay.
- Writing to a full file system can truncate checkpoints without an error. The plan therefore keeps 20 %
  free.
- The failure rate is that of one published run on H100 GPUs. If you know the rate of your cluster, set
  `workload.mtbf_hours`.
- AWS does not publish the throughput of local NVMe disks, so the plan prints only their size."""

_RECOVERY = """\
Checkpoints on Lustre work with every control plane, and suffice while they cost little time. If saves and
failures cost {threshold} of the time or more, the plan also considers the other ways below. The threshold
is our own value, not from AWS.

- *Managed tiered checkpointing* (only HyperPod on EKS) saves checkpoints to node memory, with a copy on
  another node, and periodically to S3. It uses {least} to {most} percent of the node memory. AWS states
  that a save takes seconds, but does not publish a throughput. The plan recommends it if {copies} copies
  of a checkpoint fit in node memory.
- *Checkpointless training* (only HyperPod on EKS with NeMo, verified on {verified}) restores the state
  from a replica in GPU memory, without lost work. In addition to the training state, {replicas} replicas
  of the state must fit in GPU memory. You cannot combine it with tiered checkpointing. The plan recommends
  it if restores alone cost {threshold} of the time, or if the copies do not fit in node memory."""

_RATE = ("type", "tier", "network / burst", "reads / burst", "writes / burst", "memory cache, GiB")
_SIZES = {"70B at 14 bytes": 70e9, "405B at 14 bytes": 405e9}
_SYSTEMS = ((4800, 1000), (9600, 1000), (38400, 1000))


def storage_page() -> str:
    """Return the page: formulas, constants, examples, limits and ways to recover."""
    facts = catalog().checkpoints
    return page(
        "Storage plan",
        _INTRO,
        "## Throughput of a file system and its clients",
        _formulas(BANDWIDTH),
        "MB/s per TiB (1024 GiB). Data in the memory cache of the file servers is read at the network rate:",
        table(_RATE, _rates()),
        _tiering(),
        "## Checkpoints",
        _formulas(CHECKPOINTS),
        "## Constants",
        table(("constant", "value", "meaning", "sources"), _constants(catalog().lustre, facts)),
        "## Examples",
        "Seconds to write a checkpoint, by capacity (GiB) and tier (MB/s per TiB), with enough clients:",
        _write_times(),
        table(("formula", "arguments", "result"), _worked(_named_constants(catalog().lustre, facts))),
        "## Size of a checkpoint",
        _CHECKPOINT,
        table(("bytes per parameter", "saved tensors"), facts.bytes_per_parameter),
        table(("published checkpoint", "GB", "bytes per parameter", "source"), _measured(facts)),
        "## Limits of the estimates",
        _LIMITS,
        "## Other ways to recover",
        _recovery(facts),
        "## Sources",
        _sources(facts),
    )


def _rates() -> Iterator[tuple[object, ...]]:
    """Yield the baseline and burst rates of each tier, for each file system type."""
    for row in catalog().lustre_speeds.rows:
        yield (
            f"{row.deployment} {row.storage}", row.tier, _burst(row.network, row.network_burst),
            _burst(row.disk_read, row.disk_burst_read), _burst(row.disk_write, row.disk_burst_write),
            number(row.ram_cache_gib),
        )  # fmt: skip
    for tier, facts in sorted(catalog().lustre.tiers.items()):
        disk = _burst(facts.disk_baseline_mbps_per_tib, facts.disk_burst_mbps_per_tib)
        network = _burst(facts.network_baseline_mbps_per_tib, facts.network_burst_mbps_per_tib)
        yield "persistent-2 ssd", tier, network, disk, disk, number(facts.ram_cache_gib_per_tib)


def _burst(baseline: float, burst: float | None) -> str:
    return number(baseline) if burst is None else f"{number(baseline)} / {number(burst)}"


def _tiering() -> str:
    speeds, facts = catalog().lustre_speeds, catalog().lustre.tiering
    return (
        f"Intelligent-Tiering has {number(speeds.network_mbps_per_server)} MB/s of network throughput and "
        f"{number(speeds.ram_cache_gb_per_server)} GB of memory cache per {facts.mbps_per_server} MB/s."
    )


def _formulas(formulas: Iterable[Formula]) -> str:
    rows = (
        (
            f"`{formula.name}`",
            f"`{formula.text}`",
            formula.unit or "-",
            formula.gives,
            ", ".join(formula.sources),
        )
        for formula in formulas
    )
    return table(("name", "formula", "unit", "result", "sources"), rows)


def _constants(lustre: Lustre, facts: Checkpoints) -> Iterator[tuple[str, str, str, str]]:
    meanings = {
        "ena_client_gbps": ("maximum of one client over ENA, in Gbps", "client_ceilings"),
        "gbps_per_server": (
            "maximum of one client per file server over ENA, in Gbps",
            "ena_gbps_per_client_and_server",
        ),
        "efa_client_gbps": ("maximum of one client over EFA, in Gbps", "client_ceilings"),
        "efa_gds_client_gbps": (
            "maximum of one client over EFA with GPUDirect Storage, in Gbps",
            "client_ceilings",
        ),
        "max_efa_connections": ("maximum number of EFA connections of a file system", "max_efa_connections"),
        "metadata_iops_per_server": ("metadata IOPS per metadata server", "metadata_iops_per_server"),
        "interruptions": ("failures of the published run", "failures"),
        "days": ("duration of the published run in days", "failures"),
        "failed_gpus": ("GPUs of the published run", "failures"),
        "fill_at_most": ("maximum used share of a file system, of 1", "fill_at_most"),
        "copies": ("minimum number of copies of a checkpoint in memory", "copies"),
    }
    for name, value in _named_constants(lustre, facts).items():
        what, fact = meanings[name]
        keys = facts.sources_of(fact) if fact in facts.sources else lustre.sources_of(fact)
        yield f"`{name}`", number(value), what, ", ".join(keys)


def _named_constants(lustre: Lustre, facts: Checkpoints) -> dict[str, float]:
    return {
        "ena_client_gbps": lustre.client_gbps("ena"),
        "gbps_per_server": lustre.ena_gbps_per_client_and_server,
        "efa_client_gbps": lustre.client_gbps("efa"),
        "efa_gds_client_gbps": lustre.client_gbps("efa-gds"),
        "max_efa_connections": lustre.max_efa_connections,
        "metadata_iops_per_server": lustre.metadata_iops_per_server,
        "interruptions": facts.failures.interruptions,
        "days": facts.failures.days,
        "failed_gpus": facts.failures.gpus,
        "fill_at_most": facts.fill_at_most,
        "copies": facts.tiered.copies,
    }


def _write_times() -> str:
    head = ("checkpoint", *(f"{gib} at {tier}" for gib, tier in _SYSTEMS))
    rates = [provisioned_mbps(gib, tier) for gib, tier in _SYSTEMS]
    rows = []
    for name, parameters in _SIZES.items():
        size = checkpoint_gb(parameters, 14)
        rows.append(
            (f"{name}: {size / 1000:.2f} TB", *(f"{seconds_to_move(size, rate):.0f} s" for rate in rates))
        )
    return table(head, rows)


def _worked(constants: Mapping[str, float]) -> Iterator[tuple[str, str, str]]:
    """Yield each formula, calculated with published or typical values."""
    cases: tuple[tuple[str, dict[str, float]], ...] = (
        ("provisioned_mbps", {"capacity_gib": 4800, "mbps_per_tib": 1000}),
        ("provisioned_mbps", {"capacity_gib": 38400, "mbps_per_tib": 125}),
        ("servers", {"capacity_gib": 9600, "gib_per_server": 4800}),
        ("servers", {"capacity_gib": 50400, "gib_per_server": 2400}),
        ("metadata_servers", {"metadata_iops": 12000}),
        ("metadata_servers", {"metadata_iops": 96000}),
        ("clients_at_most", {"interfaces": 8}),
        ("clients_at_most", {"interfaces": 16}),
        ("ena_client_mbps", {"object_servers": 2, "instance_gbps": 800}),
        ("ena_client_mbps", {"object_servers": 19, "instance_gbps": 800}),
        ("ena_client_mbps", {"object_servers": 20, "instance_gbps": 800}),
        ("efa_client_mbps", {"interfaces_gbps": 3200, "instance_gbps": 3200}),
        ("efa_client_mbps", {"efa_client_gbps": constants["efa_gds_client_gbps"], "interfaces_gbps": 3200,
                             "instance_gbps": 3200}),
        ("all_clients_mbps", {"nodes": 8, "client_mbps": 1250, "file_system_mbps": 9375}),
        ("checkpoint_gb", {"parameters": 405e9, "bytes_per_parameter": 14}),
        ("seconds_to_move", {"size_gb": 782, "mbps": 5000}),
        ("export_s_at_least", {"size_gb": 980, "network_mbps": 97500, "disk_mbps": 37500, "cache_gb": 1099}),
        ("export_s_at_least", {"size_gb": 5670, "network_mbps": 97500, "disk_mbps": 37500, "cache_gb": 1099}),
        ("mtbf_hours", {"gpus": 16384}),
        ("mtbf_hours", {"gpus": 128}),
        ("young_s", {"write_s": 300, "mtbf_s": 86400}),
        ("daly_s", {"write_s": 300, "mtbf_s": 86400}),
        ("daly_s", {"write_s": 300, "mtbf_s": 21600}),
        ("daly_s", {"write_s": 300, "mtbf_s": 900}),
        ("lost_share", {"interval_s": 7003, "write_s": 300, "restore_s": 600, "mtbf_s": 86400}),
        ("capacity_gib", {"size_gb": 5670, "kept": 3, "datasets_gib": 5000}),
        ("memory_percent", {"size_gb": 5670, "memory_gib": 32768}),
    )  # fmt: skip
    formulas = {formula.name: formula for formula in FORMULAS}
    for name, values in cases:
        formula = formulas[name]
        arguments = {
            argument: constants[argument] for argument in _arguments(formula) if argument in constants
        } | values
        shown = ", ".join(f"{argument} = {number(arguments[argument])}" for argument in _arguments(formula))
        yield f"`{name}`", shown, f"{number(round(formula.function(**arguments), 4))} {formula.unit}".strip()


def _arguments(formula: Formula) -> tuple[str, ...]:
    code = formula.function.__code__
    return code.co_varnames[: code.co_argcount]


def _measured(facts: Checkpoints) -> Iterator[tuple[str, str, str, str]]:
    for row in facts.measured:
        yield row.model, number(row.gb), f"{row.bytes_per_parameter:.1f}", row.source


def _recovery(facts: Checkpoints) -> str:
    return _RECOVERY.format(
        threshold=f"{WORTHWHILE:.0%}",
        least=facts.tiered.memory_percent_least,
        most=facts.tiered.memory_percent_most,
        copies=facts.tiered.copies,
        verified=" and ".join(facts.checkpointless.verified_instance_types),
        replicas=facts.checkpointless.replicas,
    )


def _sources(facts: Checkpoints) -> str:
    lustre = catalog().lustre
    keys = {key for formula in FORMULAS for key in formula.sources}
    keys |= {key for listed in (*facts.sources.values(), *lustre.sources.values()) for key in listed}
    keys |= {key for listed in catalog().lustre_speeds.sources.values() for key in listed}
    keys |= {row.source for row in facts.measured}
    known = catalog().sources
    return table(("key", "source"), ((key, source(known[key])) for key in sorted(keys)))
