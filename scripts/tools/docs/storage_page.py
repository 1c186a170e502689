"""reference/storage-plan.md: the formulas of the storage plan, each with its source, and worked figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from config.catalog import Lustre, catalog
from config.catalog.workload.checkpoints import Checkpoints
from config.design.storage.bandwidth import provisioned_mbps
from config.design.storage.checkpoints import checkpoint_gb, seconds_to_move
from config.design.storage.formulas import BANDWIDTH, CHECKPOINTS, FORMULAS, Formula
from config.design.storage.recovery import WORTHWHILE
from scripts.tools.docs.markdown import number, page, source, table

_INTRO = """What `ultracluster plan` says of storage, and how it is computed. Formulas stand in the names
that the code has; a test reads them from this page and computes them. MB/s are 10^6 bytes a second, Gbps 10^9
bits, GB 10^9 bytes, GiB 2^30; a TiB of a file system is 1024 GiB of its capacity."""

_CHECKPOINT = """How many bytes a parameter has depends on what is saved; `workload.bytes_per_parameter` is
14 by default. Gradients are seldom saved. AWS publishes no figure of its own."""

_LIMITS = """\
- Sizes go by the disks' baseline: bursts live on credits, which the next checkpoint may not find.
- Writing takes the slowest of the disks' baseline, the network's and all clients together. So does
  restoring, where the file servers' memory does not help.
- Over ENA a client gets so much of each file server. File systems with EFA have few, large servers: nodes
  without EFA, and EFA nodes that fell back to TCP, get a fraction of what is paid for.
- No source gives a rate for the automatic export to S3. What it sends goes through the network of the file
  servers, and what their memory no longer has comes off the disks: that is the least time (derived). The
  age of the oldest message in its queue (`AgeOfOldestQueuedMessage`) shows what it really takes.
- A file system that is full truncates checkpoints, not always with an error; so a fifth stays free.
- The rate of failures is that of H100 machines in one hall. State `workload.mtbf_hours` when you know yours.
- Local NVMe has no published bandwidth, so the plan gives its size alone."""

_RECOVERY = """\
Saving to Lustre serves every control plane, and is enough while it costs little. The plan looks
further from {threshold} of the time on: a choice of this tool, not a figure of AWS.

- *Managed tiered checkpointing* (HyperPod on EKS alone) saves to the memory of nodes, with a copy on another
  node, and now and then to S3. It takes {least} to {most} percent of the nodes' memory; AWS says that saves
  take seconds and gives no rate. It is the better choice where saves to Lustre cost much and {copies} copies
  fit into memory.
- *Checkpointless training* (HyperPod on EKS alone, NeMo, verified on {verified}) takes the state from a
  replica in GPU memory: no work is lost, and {replicas} replicas of the state must fit beside what training
  needs. It excludes tiered checkpointing. It is the better choice where failures come so often that restores
  alone cost {threshold} of the time, or where the copies do not fit into memory."""

_RATE = ("kind", "tier", "network / burst", "reads / burst", "writes / burst", "memory, GiB")
_SIZES = {"70B at 14 bytes": 70e9, "405B at 14 bytes": 405e9}
_SYSTEMS = ((4800, 1000), (9600, 1000), (38400, 1000))


def storage_page() -> str:
    """The page: formulas, constants, worked figures, what they leave out, and how to recover."""
    facts = catalog().checkpoints
    return page(
        "Storage plan",
        _INTRO,
        "## What a file system and its clients move",
        _formulas(BANDWIDTH),
        "MB/s of each TiB (1024 GiB); what the file servers' memory has comes at the network's rate:",
        table(_RATE, _rates()),
        _tiering(),
        "## Checkpoints",
        _formulas(CHECKPOINTS),
        "## Constants",
        table(("constant", "value", "what it is", "sources"), _constants(catalog().lustre, facts)),
        "## Worked figures",
        "Seconds to write a checkpoint, by capacity in GiB and MB/s per TiB, with clients that keep up:",
        _write_times(),
        table(("formula", "with", "gives"), _worked(_named_constants(catalog().lustre, facts))),
        "## Bytes of a checkpoint",
        _CHECKPOINT,
        table(("bytes per parameter", "what is saved"), facts.bytes_per_parameter),
        table(("published checkpoint", "GB", "bytes per parameter", "source"), _measured(facts)),
        "## What the figures leave out",
        _LIMITS,
        "## When another recovery is the better choice",
        _recovery(facts),
        "## Sources",
        _sources(facts),
    )


def _rates() -> Iterator[tuple[object, ...]]:
    """Each tier of each kind; a burst beside its baseline."""
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
        f"Intelligent-Tiering has {number(speeds.network_mbps_per_server)} MB/s of network and "
        f"{number(speeds.ram_cache_gb_per_server)} GB of memory for each {facts.mbps_per_server} MB/s."
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
    return table(("name", "formula", "unit", "gives", "sources"), rows)


def _constants(lustre: Lustre, facts: Checkpoints) -> Iterator[tuple[str, str, str, str]]:
    meanings = {
        "ena_client_gbps": ("the most of one client over ENA, in Gbps", "client_ceilings"),
        "gbps_per_server": ("of it from each file server, in Gbps", "ena_gbps_per_client_and_server"),
        "efa_client_gbps": ("the most of one client over EFA, in Gbps", "client_ceilings"),
        "efa_gds_client_gbps": ("the same with GPUDirect Storage, in Gbps", "client_ceilings"),
        "max_efa_connections": ("EFA connections of a file system", "max_efa_connections"),
        "metadata_iops_per_server": ("metadata IOPS of a server", "metadata_iops_per_server"),
        "interruptions": ("failures of the published run", "failures"),
        "days": ("its days", "failures"),
        "failed_gpus": ("its GPUs", "failures"),
        "fill_at_most": ("how full a file system may get, of 1", "fill_at_most"),
        "copies": ("of a checkpoint in memory, at least", "copies"),
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
    """Each formula at figures that somebody published or that users ask for."""
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
    for name, given in cases:
        formula = formulas[name]
        arguments = {
            argument: constants[argument] for argument in _arguments(formula) if argument in constants
        } | given
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
