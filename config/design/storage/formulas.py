"""Formulas of the storage plan as text for the documentation, each with the function that computes it.

`text` is the formula in plain notation with the names of the function's arguments. A test reads the text from
docs/reference/storage-plan.md, evaluates it, and compares the result with the function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from config.catalog import catalog
from config.design.storage import bandwidth, checkpoints


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """One formula: its result, unit, text and function."""

    gives: str
    unit: str
    text: str
    function: Callable[..., float]

    @property
    def name(self) -> str:
        """Name in the code and on the page."""
        return self.function.__name__

    @property
    def sources(self) -> tuple[str, ...]:
        """Source keys in the catalogue."""
        return catalog().checkpoints.formulas[self.name]


BANDWIDTH = (
    Formula(
        gives="throughput of a capacity at a rate per TiB: disk or network, baseline or burst",
        unit="MB/s",
        text="capacity_gib / 1024 * mbps_per_tib",
        function=bandwidth.provisioned_mbps,
    ),
    Formula(
        gives="number of file servers",
        unit="",
        text="ceil(capacity_gib / gib_per_server)",
        function=bandwidth.servers,
    ),
    Formula(
        gives="number of metadata servers; each server uses 1 IP address of the subnet",
        unit="",
        text="max(1, ceil(metadata_iops / metadata_iops_per_server))",
        function=bandwidth.metadata_servers,
    ),
    Formula(
        gives="maximum number of EFA clients of a file system",
        unit="",
        text="floor(max_efa_connections / interfaces)",
        function=bandwidth.clients_at_most,
    ),
    Formula(
        gives="maximum throughput of one client over ENA",
        unit="MB/s",
        text="min(ena_client_gbps, gbps_per_server * object_servers, instance_gbps) * 125",
        function=bandwidth.ena_client_mbps,
    ),
    Formula(
        gives="maximum throughput of one client over EFA, with or without GPUDirect Storage",
        unit="MB/s",
        text="min(efa_client_gbps, interfaces_gbps, instance_gbps) * 125",
        function=bandwidth.efa_client_mbps,
    ),
    Formula(
        gives="total throughput of all clients",
        unit="MB/s",
        text="min(nodes * client_mbps, file_system_mbps)",
        function=bandwidth.all_clients_mbps,
    ),
)
"""Throughput of a file system and its clients."""

CHECKPOINTS = (
    Formula(
        gives="size of a checkpoint",
        unit="GB",
        text="parameters * bytes_per_parameter / 1e9",
        function=checkpoints.checkpoint_gb,
    ),
    Formula(
        gives="time to write or to restore a checkpoint",
        unit="s",
        text="size_gb * 1000 / mbps",
        function=checkpoints.seconds_to_move,
    ),
    Formula(
        gives="minimum time of the export to S3: all bytes use the network, uncached bytes also the disks",
        unit="s",
        text="max(size_gb / network_mbps, max(0, size_gb - cache_gb) / disk_mbps) * 1000",
        function=checkpoints.export_s_at_least,
    ),
    Formula(
        gives="mean time between failures of a run, from the failure rate of a published run",
        unit="h",
        text="failed_gpus * days * 24 / interruptions / gpus",
        function=checkpoints.mtbf_hours,
    ),
    Formula(
        gives="checkpoint interval with the least lost time, first order (Young)",
        unit="s",
        text="sqrt(2 * write_s * mtbf_s)",
        function=checkpoints.young_s,
    ),
    Formula(
        gives="the same to a higher order (Daly), from the end of one checkpoint to the start of the next",
        unit="s",
        text="sqrt(2 * write_s * mtbf_s) * (1 + sqrt(write_s / (2 * mtbf_s)) / 3 "
        "+ write_s / (2 * mtbf_s) / 9) - write_s if write_s < 2 * mtbf_s else mtbf_s",
        function=checkpoints.daly_s,
    ),
    Formula(
        gives="share of time for writing, restoring and repeated work",
        unit="of 1",
        text="1 - interval_s / (mtbf_s * exp(restore_s / mtbf_s) "
        "* (exp((interval_s + write_s) / mtbf_s) - 1))",
        function=checkpoints.lost_share,
    ),
    Formula(
        gives="capacity for the retained checkpoints, one in progress, and the datasets",
        unit="GiB",
        text="size_gb * 1e9 / 2 ** 30 * (kept + 1) / fill_at_most + datasets_gib",
        function=checkpoints.capacity_gib,
    ),
    Formula(
        gives="percentage of node memory that copies of a checkpoint use",
        unit="%",
        text="size_gb * 1e9 / 2 ** 30 * copies / memory_gib * 100",
        function=checkpoints.memory_percent,
    ),
)
"""Size, time and interval of checkpoints."""

FORMULAS = (*BANDWIDTH, *CHECKPOINTS)
