"""One node in detail: its GPUs, its devices, its host, and who works on it."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    CLUSTER,
    NODE_JOB,
    ONE_NODE,
    gpus,
    job_labels,
    nvlink,
    wanted,
)
from config.design.observability.dashboards.node_host import HERE, HOST_ROWS
from config.design.observability.dashboards.parts import (
    ANY_IS_BAD,
    Board,
    Panel,
    Row,
    lines,
    row,
    stat,
    table,
)
from config.design.observability.model import Measured


def board(measured: Measured) -> Board:
    """The dashboard."""
    return Board(
        board="node",
        title="Node detail",
        description="Everything that is measured on one node.",
        variables=(CLUSTER, ONE_NODE),
        refresh="30s",
        rows=(_now(measured), _jobs(measured), _GPUS, _profile(measured), *HOST_ROWS),
    )


def _now(measured: Measured) -> Row:
    here = wanted(measured, "gpus", HERE)
    efa = wanted(measured, "efa", HERE)
    return row(
        "Now",
        stat(
            "GPUs",
            "GPUs that DCGM sees, of those that the instance type has.",
            (f"{gpus('node', HERE)} or vector(0)", "there"),
            (f"max({here})" if here else "", "should be"),
        ),
        stat(
            "EFA devices",
            "EFA devices that the node sees, of those that the instance type has.",
            (f"count(max by (device) (<efa_info>{{{HERE}}})) or vector(0)", "there"),
            (f"max({efa})" if efa else "", "should be"),
        ),
        stat(
            "Problems that its check found",
            "What the node's own check of GPUs and EFA devices found.",
            (f"max(<gpu_problems>{{{HERE}}})", "problems"),
            steps=ANY_IS_BAD,
        ),
        stat(
            "Last check",
            "How long ago the node checked itself.",
            (f"time() - max(<gpu_check_time>{{{HERE}}})", "ago"),
            unit="s",
        ),
        stat(
            "Up", "Time since the node booted.", (f"time() - max(<node_boot_time>{{{HERE}}})", "up"), unit="s"
        ),
        stat(
            "Exporters that do not answer",
            "What is not measured on the node now.",
            (f'count(<up>{{{HERE},job!="application"}} == 0) or vector(0)', "exporters"),
            steps=ANY_IS_BAD,
        ),
        width=4,
        height=4,
    )


def _jobs(measured: Measured) -> Row:
    owner = ", ".join(job_labels(measured))
    label = job_labels(measured)[-1]
    return row(
        "Who works here",
        table(
            "Jobs on the node's GPUs",
            "Jobs with the number of GPUs they have here, and how busy these are.",
            (f'count by ({owner}) (<gpu_utilization>{{{HERE},{label}!=""}})', "GPUs"),
            (f'avg by ({owner}) (<gpu_utilization>{{{HERE},{label}!=""}})', "Busy"),
            columns=job_labels(measured),
            units={"Busy": "percent"},
        ),
        table(
            "What the node is",
            "Its instance type and group.",
            (f'max by (node, instance_type, group) (<up>{{{HERE},job="{NODE_JOB}"}})', "Answers"),
            columns=("node", "instance_type", "group"),
            linked=False,
            mappings={"1": "yes", "0": "no"},
        ),
        height=6,
    )


def _by_gpu(title: str, description: str, key: str, unit: str) -> Panel:
    return lines(title, description, (f"max by (gpu) (<{key}>{{{HERE}}})", "GPU {{gpu}}"), unit=unit)


_GPUS = row(
    "GPUs",
    _by_gpu("Temperature", "Temperature of each GPU.", "gpu_temperature", "celsius"),
    _by_gpu("Temperature of memory", "Temperature of each memory.", "gpu_memory_temperature", "celsius"),
    _by_gpu("Power", "What each GPU draws.", "gpu_power", "watt"),
    _by_gpu("Busy", "The share of time in which something runs.", "gpu_utilization", "percent"),
    _by_gpu("Memory used", "Memory that jobs use.", "gpu_memory_used", "decmbytes"),
    _by_gpu("Clock", "Clock of the processors: one that stays low slows all.", "gpu_sm_clock", "rotmhz"),
    lines(
        "XIDs",
        "Errors that the driver reported in a moving window, and those in the kernel's log.",
        (f"max by (gpu, xid) (<xid_count>{{{HERE}}})", "GPU {{gpu}} XID {{xid}}"),
        (
            f"max by (pci, xid) (increase(<kernel_xid>{{{HERE}}}[$__rate_interval]))",
            "{{pci}} XID {{xid}} (kernel log)",
        ),
    ),
    width=8,
)


def _profile(measured: Measured) -> Row:
    return row(
        "What the GPUs do",
        _by_gpu("Tensor cores", "The share of time in which they work.", "tensor_active", "percentunit"),
        _by_gpu("Multiprocessors", "The share of time in which they work.", "sm_active", "percentunit"),
        _by_gpu("Memory at work", "The share of time in which it moves data.", "dram_active", "percentunit"),
        _by_gpu("To the host", "Data over PCIe.", "pcie_sent", "Bps"),
        _by_gpu("From the host", "Data over PCIe.", "pcie_received", "Bps"),
        lines(
            "NVLink",
            "Traffic to other GPUs, both directions.",
            (nvlink(HERE, measured, "gpu"), "GPU {{gpu}}"),
            unit="Bps",
        ),
        width=8,
    )
