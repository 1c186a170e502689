"""The storage part of a plan as text: every tier, then what follows from the workload."""

from __future__ import annotations

from config.design.report.checkpoints import CheckpointReport, IntervalReport
from config.design.report.storage import ClientReport, FileSystemReport, RepositoryReport, StorageReport
from config.design.report.tiers import BucketReport, HomeReport
from config.design.storage.bucket_access import BucketAccess
from config.design.workload.experts import Experts
from scripts.cli.plan.document import Writer
from scripts.cli.plan.sections.settings import backups, existing, mountpoint, write_settings

_WAYS = {
    "lustre": "from Lustre",
    "tiered": "managed tiered checkpointing is the better choice",
    "checkpointless": "checkpointless training is the better choice",
}
_MINUTES_FROM, _HOURS_FROM, _DAYS_FROM = 600, 7200, 259200
_OVER = {"ena": "ENA", "efa": "EFA", "efa-gds": "EFA, GPUDirect"}


def write_storage(out: Writer, storage: StorageReport) -> None:
    """Print every tier of storage, and the checkpoints of the workload."""
    out.heading("storage")
    for system in storage.file_systems:
        _write_file_system(out, system, named=len(storage.file_systems) > 1)
    if storage.home:
        _write_home(out, storage.home)
    for disks in storage.local_nvme:
        out.fact("NVMe", f"{disks.group}: {disks.gb_each:,} GB on each node, lost when it stops")
    for access in storage.bucket_access:
        out.fact("access", _access(access))
    for bucket in storage.buckets:
        out.fact("S3", _bucket(bucket))
    for volume in storage.mountpoints:
        out.fact("S3", mountpoint(volume))
    for quota in storage.quotas:
        out.fact(
            "quota", f"{quota.needed:,.0f} of {quota.default:,.0f} {quota.unit} of {quota.what} (default)"
        )
    if storage.experts:
        out.fact("experts", _experts(storage.experts))
    if storage.checkpoint:
        _write_checkpoint(out, storage.checkpoint)


def _write_file_system(out: Writer, system: FileSystemReport, *, named: bool) -> None:
    size = "grows by itself" if system.capacity_gib is None else f"{system.capacity_gib:,} GiB"
    tier = f" at {system.throughput_mbps_per_tib} MB/s/TiB" if system.throughput_mbps_per_tib else ""
    efa = "with EFA" if system.efa else "without EFA"
    out.fact(
        system.name if named else "Lustre",
        f"{size}{tier} {efa}, {system.kind}, mounted at {system.mount_path}",
    )
    write_settings(out, system)
    out.fact("moves", _rates(system))
    if system.clients:
        out.table(
            ("client", "nodes", "over", "a node", "GPUDirect", "together"),
            [_client(client) for client in system.clients],
            right=(1, 3, 4, 5),
        )
    metadata = "automatic" if system.metadata_automatic else "provisioned"
    iops = f" ({system.metadata_iops:,} IOPS, {metadata})" if system.metadata_iops else ""
    out.fact(
        "servers",
        f"{system.object_servers} for files, {system.metadata_servers} for metadata{iops}; "
        f"{_addresses(system.addresses)}",
    )
    if system.efa_connections_most:
        out.fact(
            "EFA",
            f"{system.efa_connections:,} of {system.efa_connections_most:,} connections{_fallback(system)}",
        )
    for link in system.data_repositories:
        out.fact("S3 link", _link(link))


def _fallback(system: FileSystemReport) -> str:
    """What is left of a node whose EFA does not work: nothing else tells of it."""
    without = [client.without_efa_gbps for client in system.clients if client.without_efa_gbps is not None]
    return f"; a node that falls back to TCP moves {max(without):g} Gbps" if without else ""


def _link(link: RepositoryReport) -> str:
    bucket = "a new bucket" if link.bucket == "new" else f"s3://{link.bucket}/{link.prefix}"
    ways = (("import", link.imports), ("export", link.exports))
    moves = [f"{way} {', '.join(events)}" for way, events in ways if events]
    moves += [f"listed {link.listed}"] if link.listed else []
    return f"{link.path} with {bucket}: {'; '.join(moves) or 'moves nothing by itself'}"


def _access(access: BucketAccess) -> str:
    """What must be done to an existing bucket; the statements themselves are in the JSON."""
    policies = {"bucket": access.bucket_policy, "key": access.key_policy}
    wanting = [f"the policy of the {what}" for what, statements in policies.items() if statements]
    wanting += ["a grant of the key (deploy without the link, grant, deploy with it)"] if access.grant else []
    needs = f"needs {' and '.join(wanting)}" if wanting else "needs nothing but what the deployer may do"
    return f"{access.path} {needs}: --json has it under plan.storage.bucket_access"


def _addresses(count: int) -> str:
    return "1 address" if count == 1 else f"{count} addresses"


def _rates(system: FileSystemReport) -> str:
    moves = f"writes {_gb_per_s(system.write_mbps)}, reads {_gb_per_s(system.read_mbps)}"
    if system.network_mbps:
        moves += f", from the servers' memory {_gb_per_s(system.network_mbps)}"
    figures = (
        ("writes", system.write_burst_mbps),
        ("reads", system.read_burst_mbps),
        ("memory", system.network_burst_mbps),
    )
    bursts = [f"{what} {_gb_per_s(figure)}" for what, figure in figures if figure]
    return f"{moves}; in bursts {', '.join(bursts)}" if bursts else moves


def _client(client: ClientReport) -> tuple[str, ...]:
    gpudirect = "-" if client.gpudirect_gbps is None else f"{client.gpudirect_gbps:,.10g} Gbps"
    return (
        client.group,
        str(client.nodes),
        _OVER[client.over],
        f"{client.gbps:,.10g} Gbps",
        gpudirect,
        _gb_per_s(client.write_mbps),
    )


def _write_home(out: Writer, home: HomeReport) -> None:
    if home.capacity_gib is None:
        ids = f": {existing(home.existing)}" if home.existing else ""
        out.fact("home", f"{home.mount_path}, on an OpenZFS file system that exists{ids}")
        return
    out.fact(
        "home",
        f"{home.capacity_gib:,} GiB of OpenZFS for {home.users:,} users, {home.deployment}, "
        f"mounted at {home.mount_path}; {_addresses(home.addresses)}",
    )
    if home.backups:
        out.fact("backups", backups(home.backups))
    figures = (("disks", home.disk_mbps), ("memory", home.network_mbps))
    moves = ", ".join(f"{what} {_gb_per_s(figure)}" for what, figure in figures if figure)
    bursts = (("disks", home.disk_burst_mbps), ("memory", home.network_burst_mbps))
    bursting = ", ".join(f"{what} {_gb_per_s(figure)}" for what, figure in bursts if figure)
    out.fact("moves", f"{moves}; in bursts {bursting}" if bursting else moves)


def _bucket(bucket: BucketReport) -> str:
    count = "1 bucket" if bucket.buckets == 1 else f"{bucket.buckets} buckets"
    rates = f"{bucket.writes_per_s:,} writes and {bucket.reads_per_s:,} reads a second"
    return f"{count}, {bucket.kind}: {rates} for each {bucket.of_each}"


def _experts(experts: Experts) -> str:
    domain = f"{experts.experts} experts, NVLink domains of {experts.nvlink_domain_gpus} GPUs"
    if not experts.over_efa:
        return f"{domain}: one on each GPU stays within a domain"
    way = f"EFA ({experts.efa_gbps:,g} Gbps a node)" if experts.efa_gbps else "ENA: there is no EFA"
    return f"{domain}: one on each GPU sends tokens between domains, over {way}"


def _write_checkpoint(out: Writer, checkpoint: CheckpointReport) -> None:
    out.heading("checkpoints")
    out.fact(
        "save",
        f"{checkpoint.gb:,.0f} GB in {duration(checkpoint.write_s)} at {_gb_per_s(checkpoint.write_mbps)}, "
        f"limited by {checkpoint.limited_by}; restore in {duration(checkpoint.restore_s)}",
    )
    if checkpoint.interval:
        out.fact("every", _interval(checkpoint.interval))
    of = "" if checkpoint.capacity_gib is None else f" of {checkpoint.capacity_gib:,}"
    out.fact(
        "keep", f"{checkpoint.kept} and one in flight: {checkpoint.needed_gib:,.0f}{of} GiB, with headroom"
    )
    if checkpoint.export_s_at_least is not None:
        out.fact(
            "export",
            f"{checkpoint.export_path} to S3 takes {duration(checkpoint.export_s_at_least)} at least "
            "(derived: no rate is published)",
        )
    if checkpoint.recovery:
        out.fact("recover", f"{_WAYS[checkpoint.recovery]}: {checkpoint.recovery_because}")


def _interval(interval: IntervalReport) -> str:
    best = f"{duration(interval.best_s)} loses least"
    if interval.stated_s is not None:
        best = f"{duration(interval.stated_s)} as stated ({best})"
    failure = "as stated" if interval.mtbf_stated else f"on {interval.gpus:,} GPUs"
    failures = f"a failure in {duration(interval.mtbf_hours * 3600)} {failure}"
    return (
        f"{best}: {interval.lost_percent:.1f} % of the time, {interval.gpu_hours_lost_a_day:,.0f} GPU hours "
        f"a day, with {failures}"
    )


def duration(seconds: float) -> str:
    """A time in the unit that one would say it in: 302 s, 45 min, 8.1 h, 16.5 days."""
    if seconds < _MINUTES_FROM:
        return f"{seconds:.0f} s"
    if seconds < _HOURS_FROM:
        return f"{seconds / 60:.0f} min"
    if seconds < _DAYS_FROM:
        return f"{seconds / 3600:.3g} h"
    return f"{seconds / 86400:,.1f} days"


def _gb_per_s(mbps: float) -> str:
    return f"{mbps / 1000:,.3g} GB/s" if mbps < 100_000 else f"{mbps / 1000:,.0f} GB/s"
