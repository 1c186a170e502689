"""What wears GPUs down, before it breaks a job: memory, links and clocks."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    AT,
    TO_NODE,
    TO_NODE_OF_SERIES,
    job_columns,
    job_link,
    with_job,
)
from config.design.observability.dashboards.parts import ANY_IS_BAD, ANY_IS_ODD, Panel, Query, Row, Steps
from config.design.observability.model import Measured


def fault_rows(measured: Measured) -> tuple[Row, ...]:
    """Rows about memory and links."""
    return _memory(measured), _links()


def _grows(title: str, description: str, *counters: tuple[str, str], steps: Steps = ANY_IS_ODD) -> Panel:
    """Counters that should stand still, by GPU: only those that grow are drawn."""
    return Panel(
        kind="timeseries",
        title=title,
        description=description,
        queries=tuple(
            Query(
                expression=f"sum by (node, gpu) (increase(<{key}>{{{AT}}}[$__rate_interval])) > 0",
                legend=f"{{{{node}}}} GPU {{{{gpu}}}} {name}".rstrip(),
            )
            for key, name in counters
        ),
        steps=steps,
        smallest=0,
        links=(TO_NODE_OF_SERIES,),
    )


def _memory(measured: Measured) -> Row:
    labels = "max by (cluster, node, gpu)"
    failed = with_job(f"{labels} (<row_remap_failure>{{{AT}}}) > 0", "", measured)
    pending = with_job(f"{labels} (<row_remap_pending>{{{AT}}}) > 0", "", measured)
    worn = with_job(f"{labels} (<sram_threshold>{{{AT}}}) > 0", "", measured)
    return Row(
        title="Memory of the GPUs",
        panels=(
            Panel(
                kind="table",
                title="GPUs whose memory needs attention, and their jobs",
                description="To exchange: a row could not be remapped, or the errors of its SRAM passed their "
                "threshold. To reset: a remapped row takes effect at the next reset, which can wait until the "
                "job is over.",
                queries=(Query(expression=failed), Query(expression=pending), Query(expression=worn)),
                columns={"node": "Node", "gpu": "GPU", **job_columns(measured)},
                values=("To exchange", "To reset", "SRAM worn"),
                mappings={"1": "yes", "0": "no"},
                links=(TO_NODE, job_link(measured)),
            ),
            _grows(
                "Double-bit errors",
                "Errors of memory that cannot be corrected: each costs a job.",
                ("ecc_double_bit", ""),
                steps=ANY_IS_BAD,
            ),
            _grows("Single-bit errors", "Errors of memory that were corrected.", ("ecc_single_bit", "")),
            _grows(
                "Remapped rows",
                "Rows of memory that were given up: after uncorrectable errors, and after many corrected ones.",
                ("remapped_rows_uncorrectable", "uncorrectable"),
                ("remapped_rows_correctable", "correctable"),
            ),
        ),
    )


def _links() -> Row:
    return Row(
        title="Links between GPUs",
        panels=(
            _grows(
                "Errors of NVLink",
                "Errors of the links between a node's GPUs, by kind.",
                ("nvlink_replay", "replay"),
                ("nvlink_recovery", "recovery"),
                ("nvlink_crc", "CRC"),
                ("nvlink_recovery_failed", "recovery failed"),
                ("nvlink_integrity_errors", "integrity"),
                ("nvlink_effective_errors", "not corrected"),
            ),
            _grows(
                "Repeats on PCIe",
                "Transfers between host and GPU that had to be repeated.",
                ("pcie_replay", ""),
            ),
            Panel(
                kind="table",
                title="GPUs whose NVLink fabric is not healthy",
                description="What the fabric manager says of each GPU's place in the NVLink fabric.",
                queries=(Query(expression=f"max by (node, gpu) (<fabric_health>{{{AT}}}) > 1"),),
                columns={"node": "Node", "gpu": "GPU"},
                values=("Fabric",),
                mappings={"2": "unhealthy", "3": "limited"},
                links=(TO_NODE,),
            ),
            Panel(
                kind="timeseries",
                title="Why clocks were held down, by node",
                description="Events of the GPUs' clocks in a moving window.",
                queries=(
                    Query(
                        expression=f"sum by (node, clock_event) (<clock_event_count>{{{AT}}}) > 0",
                        legend="{{node}} {{clock_event}}",
                    ),
                ),
                smallest=0,
                links=(TO_NODE_OF_SERIES,),
            ),
        ),
    )
