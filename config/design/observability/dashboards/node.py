"""One node in detail: its GPUs, its devices, its host, and who works on it."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    CLUSTER,
    IN,
    NODE_JOB,
    ONE_NODE,
    gpus,
    job_columns,
    job_labels,
    job_link,
    nvlink,
    wanted,
)
from config.design.observability.dashboards.node_host import host_rows
from config.design.observability.dashboards.parts import ANY_IS_BAD, Board, Panel, Query, Row
from config.design.observability.model import Measured

HERE = f'{IN},node="$node"'


def board(measured: Measured) -> Board:
    """The dashboard."""
    return Board(
        board="node",
        title="Node detail",
        description="Everything that is measured on one node.",
        variables=(CLUSTER, ONE_NODE),
        refresh="30s",
        rows=(_now(measured), _jobs(measured), _gpus(), _profile(measured), *host_rows(HERE)),
    )


def _stat(title: str, description: str, *queries: Query, unit: str = "short", bad: bool = False) -> Panel:
    return Panel(
        kind="stat",
        title=title,
        description=description,
        queries=queries,
        unit=unit,
        width=4,
        height=4,
        steps=ANY_IS_BAD if bad else ((None, "green"),),
    )


def _now(measured: Measured) -> Row:
    here = wanted(measured, "gpus", HERE)
    efa = wanted(measured, "efa", HERE)
    return Row(
        title="Now",
        panels=(
            _stat(
                "GPUs",
                "GPUs that DCGM sees, of those that the instance type has.",
                Query(expression=f"{gpus('node', HERE)} or vector(0)", legend="there"),
                Query(expression=f"max({here})" if here else "", legend="should be"),
            ),
            _stat(
                "EFA devices",
                "EFA devices that the node sees, of those that the instance type has.",
                Query(
                    expression=f"count(max by (device) (<efa_info>{{{HERE}}})) or vector(0)", legend="there"
                ),
                Query(expression=f"max({efa})" if efa else "", legend="should be"),
            ),
            _stat(
                "Problems that its check found",
                "What the node's own check of GPUs and EFA devices found.",
                Query(expression=f"max(<gpu_problems>{{{HERE}}})", legend="problems"),
                bad=True,
            ),
            _stat(
                "Last check",
                "How long ago the node checked itself.",
                Query(expression=f"time() - max(<gpu_check_time>{{{HERE}}})", legend="ago"),
                unit="s",
            ),
            _stat(
                "Up",
                "Time since the node booted.",
                Query(expression=f"time() - max(<node_boot_time>{{{HERE}}})", legend="up"),
                unit="s",
            ),
            _stat(
                "Exporters that do not answer",
                "What is not measured on the node now.",
                Query(
                    expression=f'count(<up>{{{HERE},job!="application"}} == 0) or vector(0)',
                    legend="exporters",
                ),
                bad=True,
            ),
        ),
    )


def _jobs(measured: Measured) -> Row:
    owner = ", ".join(job_labels(measured))
    label = job_labels(measured)[-1]
    return Row(
        title="Who works here",
        panels=(
            Panel(
                kind="table",
                title="Jobs on the node's GPUs",
                description="Jobs with the number of GPUs they have here, and how busy these are.",
                queries=(
                    Query(expression=f'count by ({owner}) (<gpu_utilization>{{{HERE},{label}!=""}})'),
                    Query(expression=f'avg by ({owner}) (<gpu_utilization>{{{HERE},{label}!=""}})'),
                ),
                columns=job_columns(measured),
                values=("GPUs", "Busy"),
                units={"Busy": "percent"},
                links=(job_link(measured),),
                height=6,
            ),
            Panel(
                kind="table",
                title="What the node is",
                description="Its instance type and group.",
                queries=(
                    Query(
                        expression=f'max by (node, instance_type, group) (<up>{{{HERE},job="{NODE_JOB}"}})'
                    ),
                ),
                columns={"node": "Node", "instance_type": "Type", "group": "Group"},
                values=("Answers",),
                mappings={"1": "yes", "0": "no"},
                height=6,
            ),
        ),
    )


def _by_gpu(title: str, description: str, key: str, unit: str) -> Panel:
    return Panel(
        kind="timeseries",
        title=title,
        description=description,
        queries=(Query(expression=f"max by (gpu) (<{key}>{{{HERE}}})", legend="GPU {{gpu}}"),),
        unit=unit,
        smallest=0,
        width=8,
    )


def _gpus() -> Row:
    return Row(
        title="GPUs",
        panels=(
            _by_gpu("Temperature", "Temperature of each GPU.", "gpu_temperature", "celsius"),
            _by_gpu(
                "Temperature of memory", "Temperature of each memory.", "gpu_memory_temperature", "celsius"
            ),
            _by_gpu("Power", "What each GPU draws.", "gpu_power", "watt"),
            _by_gpu("Busy", "The share of time in which something runs.", "gpu_utilization", "percent"),
            _by_gpu("Memory used", "Memory that jobs use.", "gpu_memory_used", "decmbytes"),
            _by_gpu(
                "Clock", "Clock of the processors: one that stays low slows all.", "gpu_sm_clock", "rotmhz"
            ),
            Panel(
                kind="timeseries",
                title="XIDs",
                description="Errors that the driver reported in a moving window, and those in the kernel's log.",
                queries=(
                    Query(
                        expression=f"max by (gpu, xid) (<xid_count>{{{HERE}}})",
                        legend="GPU {{gpu}} XID {{xid}}",
                    ),
                    Query(
                        expression=f"max by (pci, xid) (increase(<kernel_xid>{{{HERE}}}[$__rate_interval]))",
                        legend="{{pci}} XID {{xid}} (kernel log)",
                    ),
                ),
                smallest=0,
                width=8,
            ),
        ),
    )


def _profile(measured: Measured) -> Row:
    return Row(
        title="What the GPUs do",
        panels=(
            _by_gpu("Tensor cores", "The share of time in which they work.", "tensor_active", "percentunit"),
            _by_gpu("Multiprocessors", "The share of time in which they work.", "sm_active", "percentunit"),
            _by_gpu(
                "Memory at work", "The share of time in which it moves data.", "dram_active", "percentunit"
            ),
            _by_gpu("To the host", "Data over PCIe.", "pcie_sent", "Bps"),
            _by_gpu("From the host", "Data over PCIe.", "pcie_received", "Bps"),
            Panel(
                kind="timeseries",
                title="NVLink",
                description="Traffic to other GPUs, both directions.",
                queries=(Query(expression=nvlink(HERE, measured, "gpu"), legend="GPU {{gpu}}"),),
                unit="Bps",
                smallest=0,
                width=8,
            ),
        ),
    )
