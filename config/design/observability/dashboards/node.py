"""Dashboard of one node: GPUs, devices, host and jobs."""

from __future__ import annotations

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
from config.design.observability.dashboards.promql import (
    CLUSTER,
    NODE_JOB,
    ONE_NODE,
    expected_devices,
    gpus,
    job_labels,
    nvlink,
)
from config.design.observability.model import Measured


def board(measured: Measured) -> Board:
    """Return the dashboard."""
    return Board(
        board="node",
        title="Node detail",
        description="All metrics of one node.",
        variables=(CLUSTER, ONE_NODE),
        refresh="30s",
        rows=(_now(measured), _jobs(measured), _GPUS, _profile(measured), *HOST_ROWS),
    )


def _now(measured: Measured) -> Row:
    here = expected_devices(measured, "gpus", HERE)
    efa = expected_devices(measured, "efa", HERE)
    return row(
        "Now",
        stat(
            "GPUs",
            "GPUs that DCGM reports, and GPUs of the instance type.",
            (f"{gpus('node', HERE)} or vector(0)", "present"),
            (f"max({here})" if here else "", "expected"),
        ),
        stat(
            "EFA devices",
            "EFA devices that the node reports, and EFA devices of the instance type.",
            (f"count(max by (device) (<efa_info>{{{HERE}}})) or vector(0)", "present"),
            (f"max({efa})" if efa else "", "expected"),
        ),
        stat(
            "Problems found by the node check",
            "Problems that the check of GPUs and EFA devices found.",
            (f"max(<gpu_problems>{{{HERE}}})", "problems"),
            steps=ANY_IS_BAD,
        ),
        stat(
            "Last check",
            "Time since the last node check.",
            (f"time() - max(<gpu_check_time>{{{HERE}}})", "ago"),
            unit="s",
        ),
        stat(
            "Uptime",
            "Time since the node booted.",
            (f"time() - max(<node_boot_time>{{{HERE}}})", "up"),
            unit="s",
        ),
        stat(
            "Exporters that do not respond",
            "The metrics of these exporters are missing.",
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
        "Jobs and node",
        table(
            "Jobs on the node's GPUs",
            "Jobs on this node, with the number and the utilization of their GPUs.",
            (f'count by ({owner}) (<gpu_utilization>{{{HERE},{label}!=""}})', "GPUs"),
            (f'avg by ({owner}) (<gpu_utilization>{{{HERE},{label}!=""}})', "Utilization"),
            columns=job_labels(measured),
            units={"Utilization": "percent"},
        ),
        table(
            "Node",
            "Instance type and group of the node.",
            (f'max by (node, instance_type, group) (<up>{{{HERE},job="{NODE_JOB}"}})', "Responds"),
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
    _by_gpu(
        "Memory temperature", "Temperature of the memory of each GPU.", "gpu_memory_temperature", "celsius"
    ),
    _by_gpu("Power", "Power consumption of each GPU.", "gpu_power", "watt"),
    _by_gpu("Utilization", "Share of time in which a kernel runs on the GPU.", "gpu_utilization", "percent"),
    _by_gpu("Used memory", "GPU memory that jobs use.", "gpu_memory_used", "decmbytes"),
    _by_gpu(
        "SM clock",
        "Clock of the multiprocessors. One GPU with a low clock slows down the whole job.",
        "gpu_sm_clock",
        "rotmhz",
    ),
    lines(
        "XIDs",
        "Errors that the driver reported in a moving time window, and errors in the kernel log.",
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
        "GPU activity",
        _by_gpu(
            "Tensor cores",
            "Share of time in which the tensor cores are active.",
            "tensor_active",
            "percentunit",
        ),
        _by_gpu(
            "Multiprocessors",
            "Share of time in which the multiprocessors are active.",
            "sm_active",
            "percentunit",
        ),
        _by_gpu(
            "Memory activity",
            "Share of time in which the memory transfers data.",
            "dram_active",
            "percentunit",
        ),
        _by_gpu("PCIe to the host", "Data that the GPU sends over PCIe.", "pcie_sent", "Bps"),
        _by_gpu("PCIe from the host", "Data that the GPU receives over PCIe.", "pcie_received", "Bps"),
        lines(
            "NVLink",
            "Traffic with other GPUs in both directions.",
            (nvlink(HERE, measured, "gpu"), "GPU {{gpu}}"),
            unit="Bps",
        ),
        width=8,
    )
