"""Dashboard rows for early signs of GPU faults: memory, links and clocks."""

from __future__ import annotations

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
from config.design.observability.dashboards.promql import AT, job_labels, with_job
from config.design.observability.model import Measured


def fault_rows(measured: Measured) -> tuple[Row, ...]:
    """Return the rows about memory and links."""
    return _memory(measured), _LINKS


def _grows(title: str, description: str, *counters: tuple[str, str], steps: Steps = ANY_IS_ODD) -> Panel:
    """Return a panel of each GPU's fault counters, which do not increase on a healthy GPU."""
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
        "GPU memory",
        table(
            "GPUs with memory faults, and their jobs",
            "Exchange: a memory row could not be remapped. SRAM: the number of SRAM errors exceeds its threshold, "
            "and the GPU must be exchanged. Reset: a remapped row takes effect at the next reset, which can wait "
            "until the job ends.",
            (failed, "Exchange"),
            (pending, "Reset"),
            (worn, "SRAM"),
            columns=("node", "gpu", *job_labels(measured)),
            mappings={"1": "yes", "0": "no"},
        ),
        _grows(
            "Double-bit errors",
            "Memory errors that cannot be corrected. Each of them can end a job.",
            ("ecc_double_bit", ""),
            steps=ANY_IS_BAD,
        ),
        _grows("Single-bit errors", "Memory errors that were corrected.", ("ecc_single_bit", "")),
        _grows(
            "Remapped rows",
            "Memory rows that were replaced after uncorrectable errors or after many corrected errors.",
            ("remapped_rows_uncorrectable", "uncorrectable"),
            ("remapped_rows_correctable", "correctable"),
        ),
    )


_LINKS = row(
    "Links between GPUs",
    _grows(
        "NVLink errors",
        "Errors of the links between the GPUs of a node, by type.",
        ("nvlink_replay", "replay"),
        ("nvlink_recovery", "recovery"),
        ("nvlink_crc", "CRC"),
        ("nvlink_recovery_failed", "recovery failed"),
        ("nvlink_integrity_errors", "integrity"),
        ("nvlink_effective_errors", "not corrected"),
    ),
    _grows("PCIe replays", "Transfers between host and GPU that were repeated.", ("pcie_replay", "")),
    table(
        "GPUs with an unhealthy NVLink fabric",
        "State of each GPU in the NVLink fabric, as the fabric manager reports it.",
        (f"max by (node, gpu) (<fabric_health>{{{AT}}}) > 1", "Fabric"),
        columns=("node", "gpu"),
        mappings={"2": "unhealthy", "3": "limited"},
    ),
    lines(
        "Reasons for reduced clocks, by node",
        "Clock events of the GPUs in a moving time window.",
        (f"sum by (node, clock_event) (<clock_event_count>{{{AT}}}) > 0", "{{node}} {{clock_event}}"),
    ),
)
