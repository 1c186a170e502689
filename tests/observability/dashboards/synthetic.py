"""Synthetic series of a cluster with faults: each metric of the metric table on each node.

All values change a little, so that rates exist. The series contain each fault that panels look for: a missing
GPU, an idle GPU, a waiting pod, and an exporter that does not respond.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from config.catalog.observability.metrics import LABELS, Metric, metrics
from config.design.observability.model import GpuNodes, Measured
from config.design.observability.names import measured_metrics

END_S = 1_800_000_000
LENGTH_S = 2400
STEP_S = 60
NODES = 3
GPUS = 3
"""Maximum number of visible GPUs on a node."""

_CHOICES = {
    "gpu": ["0"],
    "device": ["rdmap0", "rdmap1"],
    "port": ["1"],
    "xid": ["79"],
    "kind": ["wanted", "attached"],
    "mode": ["idle", "user"],
    "cpu": ["0"],
    "fstype": ["xfs"],
    "mountpoint": ["/"],
    "alertstate": ["firing"],
    "severity": ["critical"],
    "status": ["true", "false"],
    "condition": ["Ready", "DiskPressure"],
    "resource": ["nvidia_com_gpu", "nvidia.com/gpu"],
    "phase": ["Pending", "Running"],
    "dimension_StorageTargetId": ["OST0000", "OST0001"],
    "le": ["1", "60", "+Inf"],
}
_VALUES = {
    "gpu_utilization": (2.0, 95.0),
    "fabric_health": (3.0,),
    "lustre_healthy": (0.0,),
    "lustre_efa_interfaces": (8.0, 6.0),
    "node_unschedulable": (1.0,),
    "train_checkpoint_time": (float(END_S - 900),),
    "alerts_since": (float(END_S - 1200),),
    "gpu_check_time": (float(END_S - 60),),
    "storage_check_time": (float(END_S - 60),),
    "node_boot_time": (float(END_S - 86400),),
    "node_textfile_time": (float(END_S - 60),),
}
_OF_A_GPU = ("UUID", "pci_bus_id", "device", "modelName")
"""Return labels of a GPU in addition to its number."""
_FLAGS = (
    "row_remap_failure",
    "row_remap_pending",
    "sram_threshold",
    "alerts",
    "pod_waiting",
    "node_disk_read_only",
)


def lines(measured: Measured) -> Iterator[str]:
    """Return samples in OpenMetrics format, oldest first for each series."""
    for row in measured_metrics(measured):
        for name in [f"{row.name}_bucket"] if row.type == "histogram" else [row.name]:
            for number, labels in enumerate(_label_sets(row, measured)):
                text = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()) if value)
                for at_s in range(END_S - LENGTH_S, END_S + 1, STEP_S):
                    yield f"{name}{{{text}}} {_value(row, number, at_s)} {at_s}"


def _value(row: Metric, number: int, at_s: int) -> float:
    passed = (at_s - (END_S - LENGTH_S)) // STEP_S
    if row.type in ("counter", "histogram") or row.key == "train_iteration":
        return (passed + 1) * (number + 1) * 10.0
    if row.key == "up":
        return float(number % 2)
    if row.key in _FLAGS:
        return 1.0
    if row.key in _VALUES:
        values = _VALUES[row.key]
        return values[number % len(values)]
    if row.key in ("tensor_active", "sm_active", "dram_active"):
        return 0.4
    return 2.0 + number % 3 + passed % 2


def _label_sets(row: Metric, measured: Measured) -> Iterator[dict[str, str]]:
    exporter = metrics().exporters[row.exporter]
    own = [label for label in row.labels if row.exporter != "dcgm" or label not in _OF_A_GPU]
    own += ["le"] if row.type == "histogram" else []
    for place in _places(row, measured):
        gpus = _gpus(place, measured)
        for values in product(*(gpus if la == "gpu" else _CHOICES.get(la, [f"{la}-1"]) for la in own)):
            found = dict(zip(own, values, strict=True))
            for job in [exporter.job] if exporter.job else ["node", "dcgm"] if row.key == "up" else [""]:
                names = {name: f"{name}-{found['gpu']}" for name in _OF_A_GPU if row.exporter == "dcgm"}
                yield {**place, "job": job, **found, **names, **_owner(row, place | found, measured)}


def _gpus(place: dict[str, str], measured: Measured) -> list[str]:
    """Return the visible GPUs of a node: fewer than expected if it has more than one."""
    there = [nodes.gpus for nodes in measured.gpu_nodes if nodes.instance_type == place.get("instance_type")]
    return [str(number) for number in range(min(GPUS, *(max(count - 1, 1) for count in there or [GPUS])))]


def _places(row: Metric, measured: Measured) -> Iterator[dict[str, str]]:
    if metrics().exporters[row.exporter].scope == "cluster":
        yield {"cluster": measured.cluster} | ({"node": "node-0"} if "node" in row.labels else {})
        return
    for nodes in measured.gpu_nodes:
        if row.architectures and nodes.architecture not in row.architectures:
            continue
        # the last node has lost its EFA devices, and its GPU if it had only one
        lost = row.key.startswith("efa_") or (row.exporter == "dcgm" and nodes.gpus == 1)
        for number in range(NODES - lost):
            yield _node(measured, nodes, number)


def _node(measured: Measured, nodes: GpuNodes, number: int) -> dict[str, str]:
    values = {
        "cluster": measured.cluster,
        "node": f"{nodes.instance_type}-{number}",
        "instance_type": nodes.instance_type,
        "group": "workers",
    }
    assert {*values, "job"} == set(LABELS["node"])
    return values


def _owner(row: Metric, labels: dict[str, str], measured: Measured) -> dict[str, str]:
    """Return the job of a GPU; the last GPU of a node and the second node's only GPU have no job."""
    free = str(GPUS - 1) if len(_gpus(labels, measured)) > 1 else "0"
    lone = free == "0" and not labels.get("node", "").endswith("-1")
    if row.exporter != "dcgm" or (labels["gpu"] == free and not lone):
        return {}
    if measured.control_plane in ("eks", "hyperpod-eks"):
        return {"namespace": "team", "pod": "train-0", "container": "main"}
    return {"hpc_job": "4711"}
