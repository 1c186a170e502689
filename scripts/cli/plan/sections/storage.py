"""The storage and checkpoint sections of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from config.design.report.checkpoints import CheckpointReport, IntervalReport
from config.design.report.storage import ClientReport, FileSystemReport, RepositoryReport, StorageReport
from config.design.report.tiers import BucketReport, HomeReport
from config.design.storage.bucket_access import BucketAccess
from config.profile.storage.repository import EVENTS
from scripts.cli.plan.document import Writer, amount
from scripts.cli.plan.sections.settings import backups, existing, mountpoint, write_settings

_WAYS = {
    "lustre": "from Lustre",
    "tiered": "use managed tiered checkpointing",
    "checkpointless": "use checkpointless training",
}
_MINUTES_FROM, _HOURS_FROM, _DAYS_FROM = 600, 7200, 259200
_OVER = {"ena": "ENA", "efa": "EFA", "efa-gds": "EFA, GPUDirect"}


def write_storage(out: Writer, storage: StorageReport) -> None:
    """Write every storage tier, and the checkpoints of the workload."""
    out.heading("storage")
    for system in storage.file_systems:
        _write_file_system(out, system, named=len(storage.file_systems) > 1)
    if storage.home:
        _write_home(out, storage.home)
    for disks in storage.local_nvme:
        out.fact("local NVMe", f"{disks.group}: {disks.gb_each:,} GB per node, erased when the node stops")
    for access in storage.bucket_access:
        out.fact("S3 access", _access(access))
    for bucket in storage.buckets:
        out.fact("S3", _bucket(bucket))
    for volume in storage.mountpoints:
        out.fact("S3", mountpoint(volume))
    for quota in storage.quotas:
        needed = f"{quota.needed:,.0f} of {quota.default:,.0f} {quota.unit}"
        out.fact("quota", f"{quota.what}: {needed} (default quota)")
    if storage.checkpoint:
        _write_checkpoint(out, storage.checkpoint)


def _write_file_system(out: Writer, system: FileSystemReport, *, named: bool) -> None:
    size = "elastic capacity" if system.capacity_gib is None else f"{system.capacity_gib:,} GiB"
    tier = f" at {system.throughput_mbps_per_tib} MB/s/TiB" if system.throughput_mbps_per_tib else ""
    efa = "with EFA" if system.efa else "without EFA"
    out.fact(
        system.name if named else "Lustre",
        f"{size}{tier} {efa}, {_kind(system.kind)}, mounted at {system.mount_path}",
    )
    write_settings(out, system)
    out.fact("throughput", _rates(system))
    if system.clients:
        out.table(
            ("client group", "nodes", "network", "per node", "with GPUDirect", "all nodes"),
            [_client(client) for client in system.clients],
            right=(1, 3, 4, 5),
        )
    metadata = "automatic" if system.metadata_automatic else "provisioned"
    iops = f" with {system.metadata_iops:,} IOPS ({metadata})" if system.metadata_iops else ""
    out.fact(
        "servers",
        f"{amount(system.object_servers, 'object storage server')} (OSS), "
        f"{amount(system.metadata_servers, 'metadata server')} (MDS){iops}; {_addresses(system.addresses)}",
    )
    if system.efa_connections_most:
        out.fact(
            "EFA",
            f"{system.efa_connections:,} of {system.efa_connections_most:,} connections{_fallback(system)}",
        )
    for link in system.data_repositories:
        out.fact("S3 association", _link(link))


def _fallback(system: FileSystemReport) -> str:
    """Return the throughput of a node whose EFA does not work; no other part of the plan shows it."""
    without = [client.without_efa_gbps for client in system.clients if client.without_efa_gbps is not None]
    return f"; a node that falls back to TCP has {max(without):g} Gbps" if without else ""


def _link(link: RepositoryReport) -> str:
    bucket = "a new bucket" if link.bucket == "new" else f"s3://{link.bucket}/{link.prefix}"
    ways = (("imports", link.imports), ("exports", link.exports))
    moves = [f"{way} {_joined([e for e in EVENTS if e in events])} files" for way, events in ways if events]
    moves += [f"metadata imported {link.listed}"] if link.listed else []
    return f"{link.path} with {bucket}: {'; '.join(moves) or 'not imported or exported automatically'}"


def _kind(name: str) -> str:
    return name.replace("ssd", "SSD").replace("hdd", "HDD")


def _joined(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _access(access: BucketAccess) -> str:
    """Return what an existing bucket requires; the policy statements themselves are in the JSON plan."""
    policies = {"bucket": access.bucket_policy, "key": access.key_policy}
    wanting = [f"statements in the {what} policy" for what, statements in policies.items() if statements]
    wanting += (
        ["a key grant (deploy without the association, create the grant, deploy with the association)"]
        if access.grant
        else []
    )
    needs = f"requires {' and '.join(wanting or ['only permissions of the deploying principal'])}"
    return f"{access.path} {needs}; see `plan.storage.bucket_access` in the output of --json"


def _addresses(count: int) -> str:
    return amount(count, "IP address", "IP addresses")


def _rates(system: FileSystemReport) -> str:
    moves = f"write {_gb_per_s(system.write_mbps)}, read {_gb_per_s(system.read_mbps)}"
    if system.network_mbps:
        moves += f", read from server memory {_gb_per_s(system.network_mbps)}"
    figures = (
        ("write", system.write_burst_mbps),
        ("read", system.read_burst_mbps),
        ("read from server memory", system.network_burst_mbps),
    )
    bursts = [f"{what} {_gb_per_s(figure)}" for what, figure in figures if figure]
    return f"{moves}; burst: {', '.join(bursts)}" if bursts else moves


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
        out.fact("home", f"{home.mount_path}, on an existing OpenZFS file system{ids}")
        return
    out.fact(
        "home",
        f"{home.capacity_gib:,} GiB of OpenZFS for {amount(home.users or 0, 'user')}, {home.deployment}, "
        f"mounted at {home.mount_path}; {_addresses(home.addresses)}",
    )
    if home.backups:
        out.fact("backups", backups(home.backups))
    figures = (("disks", home.disk_mbps), ("memory", home.network_mbps))
    moves = ", ".join(f"{what} {_gb_per_s(figure)}" for what, figure in figures if figure)
    bursts = (("disks", home.disk_burst_mbps), ("memory", home.network_burst_mbps))
    bursting = ", ".join(f"{what} {_gb_per_s(figure)}" for what, figure in bursts if figure)
    out.fact("throughput", f"{moves}; burst: {bursting}" if bursting else moves)


def _bucket(bucket: BucketReport) -> str:
    rates = f"{bucket.writes_per_s:,} writes and {bucket.reads_per_s:,} reads per second"
    return f"{amount(bucket.buckets, f'{bucket.kind} bucket')}: {rates} for each {bucket.of_each}"


def _write_checkpoint(out: Writer, checkpoint: CheckpointReport) -> None:
    out.heading("checkpoints")
    out.fact(
        "save",
        f"{checkpoint.gb:,.0f} GB in {duration(checkpoint.write_s)} at {_gb_per_s(checkpoint.write_mbps)}, "
        f"limited by {checkpoint.limited_by}; restore in {duration(checkpoint.restore_s)}",
    )
    if checkpoint.interval:
        out.fact("interval", _interval(checkpoint.interval))
    of = "" if checkpoint.capacity_gib is None else f" of {checkpoint.capacity_gib:,}"
    out.fact(
        "capacity",
        f"{amount(checkpoint.kept, 'checkpoint')} and one being written need "
        f"{checkpoint.needed_gib:,.0f}{of} GiB, with headroom",
    )
    if checkpoint.export_s_at_least is not None:
        out.fact(
            "export",
            f"the export of {checkpoint.export_path} to S3 takes at least "
            f"{duration(checkpoint.export_s_at_least)} (estimated, because AWS does not publish a rate)",
        )
    if checkpoint.recovery:
        out.fact("recovery", f"{_WAYS[checkpoint.recovery]}: {checkpoint.recovery_because}")


def _interval(interval: IntervalReport) -> str:
    best = f"{duration(interval.best_s)} (optimal)"
    if interval.stated_s is not None:
        best = f"{duration(interval.stated_s)} as set ({duration(interval.best_s)} is optimal)"
    failure = "as set" if interval.mtbf_stated else f"estimated for {amount(interval.gpus, 'GPU')}"
    failures = f"one failure in {duration(interval.mtbf_hours * 3600)}, {failure}"
    return (
        f"{best}: saves, restores and repeated work take {interval.lost_percent:.1f} % of the time, "
        f"{interval.gpu_hours_lost_a_day:,.0f} GPU hours per day ({failures})"
    )


def duration(seconds: float) -> str:
    """Return a time in a suitable unit: 302 s, 45 min, 8.1 h, 16.5 days."""
    if seconds < _MINUTES_FROM:
        return f"{seconds:.0f} s"
    if seconds < _HOURS_FROM:
        return f"{seconds / 60:.0f} min"
    if seconds < _DAYS_FROM:
        return f"{seconds / 3600:.3g} h"
    return f"{seconds / 86400:,.1f} days"


def _gb_per_s(mbps: float) -> str:
    return f"{mbps / 1000:,.3g} GB/s" if mbps < 100_000 else f"{mbps / 1000:,.0f} GB/s"
