"""The formulas of the storage plan as they are printed: each beside the function that computes it.

`text` is the formula in plain notation, in the names of the function's arguments. A test reads it from
docs/reference/storage-plan.md, computes it and compares: page and code cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from config.catalog import catalog
from config.design.storage import bandwidth, checkpoints


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """One formula: what it gives, in which unit, and how."""

    gives: str
    unit: str
    text: str
    function: Callable[..., float]

    @property
    def name(self) -> str:
        """Its name in the code and on the page."""
        return self.function.__name__

    @property
    def sources(self) -> tuple[str, ...]:
        """Keys of the catalogue's sources."""
        return catalog().checkpoints.formulas[self.name]


BANDWIDTH = (
    Formula(
        gives="what a capacity brings at a figure for each TiB: disk or network, baseline or burst",
        unit="MB/s",
        text="capacity_gib / 1024 * mbps_per_tib",
        function=bandwidth.provisioned_mbps,
    ),
    Formula(
        gives="file servers",
        unit="",
        text="ceil(capacity_gib / gib_per_server)",
        function=bandwidth.servers,
    ),
    Formula(
        gives="metadata servers; each server takes an address of the subnet",
        unit="",
        text="max(1, ceil(metadata_iops / metadata_iops_per_server))",
        function=bandwidth.metadata_servers,
    ),
    Formula(
        gives="nodes that a file system takes over EFA",
        unit="",
        text="floor(max_efa_connections / interfaces)",
        function=bandwidth.clients_at_most,
    ),
    Formula(
        gives="the most of one client over ENA",
        unit="MB/s",
        text="min(ena_client_gbps, gbps_per_server * object_servers, instance_gbps) * 125",
        function=bandwidth.ena_client_mbps,
    ),
    Formula(
        gives="the most of one client over EFA, with GPUDirect Storage or without",
        unit="MB/s",
        text="min(efa_client_gbps, interfaces_gbps, instance_gbps) * 125",
        function=bandwidth.efa_client_mbps,
    ),
    Formula(
        gives="all clients together",
        unit="MB/s",
        text="min(nodes * client_mbps, file_system_mbps)",
        function=bandwidth.all_clients_mbps,
    ),
)
"""What a file system and its clients move."""

CHECKPOINTS = (
    Formula(
        gives="size of a checkpoint",
        unit="GB",
        text="parameters * bytes_per_parameter / 1e9",
        function=checkpoints.checkpoint_gb,
    ),
    Formula(
        gives="time to write it, or to restore it",
        unit="s",
        text="size_gb * 1000 / mbps",
        function=checkpoints.seconds_to_move,
    ),
    Formula(
        gives="least time of its export to S3: through the network, and off the disks what no cache has",
        unit="s",
        text="max(size_gb / network_mbps, max(0, size_gb - cache_gb) / disk_mbps) * 1000",
        function=checkpoints.export_s_at_least,
    ),
    Formula(
        gives="mean time between failures of a run, from those of a published one",
        unit="h",
        text="failed_gpus * days * 24 / interruptions / gpus",
        function=checkpoints.mtbf_hours,
    ),
    Formula(
        gives="time between checkpoints that loses least, first order (Young)",
        unit="s",
        text="sqrt(2 * write_s * mtbf_s)",
        function=checkpoints.young_s,
    ),
    Formula(
        gives="the same to a higher order (Daly): from the end of one to the start of the next",
        unit="s",
        text="sqrt(2 * write_s * mtbf_s) * (1 + sqrt(write_s / (2 * mtbf_s)) / 3 "
        "+ write_s / (2 * mtbf_s) / 9) - write_s if write_s < 2 * mtbf_s else mtbf_s",
        function=checkpoints.daly_s,
    ),
    Formula(
        gives="share of the time that goes to writing, restoring and work done twice",
        unit="of 1",
        text="1 - interval_s / (mtbf_s * exp(restore_s / mtbf_s) "
        "* (exp((interval_s + write_s) / mtbf_s) - 1))",
        function=checkpoints.lost_share,
    ),
    Formula(
        gives="capacity for the checkpoints kept, one in flight, and data sets",
        unit="GiB",
        text="size_gb * 1e9 / 2 ** 30 * (kept + 1) / fill_at_most + datasets_gib",
        function=checkpoints.capacity_gib,
    ),
    Formula(
        gives="percent of the nodes' memory that copies of a checkpoint take",
        unit="%",
        text="size_gb * 1e9 / 2 ** 30 * copies / memory_gib * 100",
        function=checkpoints.memory_percent,
    ),
)
"""What follows for checkpoints."""

FORMULAS = (*BANDWIDTH, *CHECKPOINTS)
