"""What wears GPUs down, before it breaks a job: memory, links and clocks."""

from __future__ import annotations

from config.design.observability.dashboards.ask import AT, job_labels, with_job
from config.design.observability.dashboards.parts import (
    ANY_IS_BAD,
    ANY_IS_ODD,
    Panel,
    Row,
    Steps,
    lines,
    row,
    table,
)
from config.design.observability.model import Measured


def fault_rows(measured: Measured) -> tuple[Row, ...]:
    """Rows about memory and links."""
    return _memory(measured), _LINKS


def _grows(title: str, description: str, *counters: tuple[str, str], steps: Steps = ANY_IS_ODD) -> Panel:
    """Counters that should stand still, by GPU: only those that grow are drawn."""
    return lines(
        title,
        description,
        *(
            (
                f"sum by (node, gpu) (increase(<{key}>{{{AT}}}[$__rate_interval])) > 0",
                f"{{{{node}}}} GPU {{{{gpu}}}} {name}".rstrip(),
            )
            for key, name in counters
        ),
        steps=steps,
    )


def _memory(measured: Measured) -> Row:
    labels = "max by (cluster, node, gpu)"
    failed = with_job(f"{labels} (<row_remap_failure>{{{AT}}}) > 0", "", measured)
    pending = with_job(f"{labels} (<row_remap_pending>{{{AT}}}) > 0", "", measured)
    worn = with_job(f"{labels} (<sram_threshold>{{{AT}}}) > 0", "", measured)
    return row(
        "Memory of the GPUs",
        table(
            "GPUs whose memory needs attention, and their jobs",
            "To exchange: a row could not be remapped, or the errors of its SRAM passed their "
            "threshold. To reset: a remapped row takes effect at the next reset, which can wait until the "
            "job is over.",
            (failed, "To exchange"),
            (pending, "To reset"),
            (worn, "SRAM worn"),
            columns=("node", "gpu", *job_labels(measured)),
            mappings={"1": "yes", "0": "no"},
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
    )


_LINKS = row(
    "Links between GPUs",
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
    _grows("Repeats on PCIe", "Transfers between host and GPU that had to be repeated.", ("pcie_replay", "")),
    table(
        "GPUs whose NVLink fabric is not healthy",
        "What the fabric manager says of each GPU's place in the NVLink fabric.",
        (f"max by (node, gpu) (<fabric_health>{{{AT}}}) > 1", "Fabric"),
        columns=("node", "gpu"),
        mappings={"2": "unhealthy", "3": "limited"},
    ),
    lines(
        "Why clocks were held down, by node",
        "Events of the GPUs' clocks in a moving window.",
        (f"sum by (node, clock_event) (<clock_event_count>{{{AT}}}) > 0", "{{node}} {{clock_event}}"),
    ),
)
