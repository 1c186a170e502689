"""Pieces of PromQL that dashboards share: where to look, whose job a GPU works for, what there should be."""

from __future__ import annotations

from config.design.observability.dashboards.parts import Variable
from config.design.observability.model import Measured
from config.design.observability.names import missing

IN = 'cluster="$cluster"'
AT = 'cluster="$cluster",node=~"$node"'
NODE_JOB = "node"
"""The label `job` of series of node_exporter, which runs on every node."""

CLUSTER = Variable(name="cluster", label="Cluster", query="label_values(<up>, cluster)", many=False)
NODES = Variable(name="node", label="Node", query=f'label_values(<up>{{{IN},job="{NODE_JOB}"}}, node)')
ONE_NODE = Variable(
    name="node", label="Node", query=f'label_values(<up>{{{IN},job="{NODE_JOB}"}}, node)', many=False
)


def on_kubernetes(measured: Measured) -> bool:
    """Whether jobs are pods."""
    return measured.control_plane in ("eks", "hyperpod-eks")


def job_labels(measured: Measured) -> tuple[str, ...]:
    """Labels of GPU metrics that say whose they are; the last is the job itself.

    DCGM's exporter gives them: `hpc_job` by what Slurm's prolog writes down, pod and namespace by the kubelet
    (https://github.com/NVIDIA/dcgm-exporter).
    """
    return ("namespace", "pod") if on_kubernetes(measured) else ("hpc_job",)


def job_label(measured: Measured) -> str:
    """The label of the job itself."""
    return job_labels(measured)[-1]


def jobs(measured: Measured) -> Variable:
    """The choice of jobs."""
    return Variable(
        name="job",
        label="Pod" if on_kubernetes(measured) else "Job",
        query=f"label_values(<gpu_utilization>{{{IN}}}, {job_label(measured)})",
    )


def rate(key: str, where: str = AT) -> str:
    """What a counter grows by in a second."""
    return f"rate(<{key}>{{{where}}}[$__rate_interval])"


def with_job(expression: str, labels: str, measured: Measured, where: str = AT) -> str:
    """Values by `cluster, node, gpu` and more labels, with the job that the GPU works for, if any.

    One job of several that share a GPU is named, since a value has one; a value without a job stays.
    """
    owner = ", ".join(job_labels(measured))
    owners = (
        f"topk by (cluster, node, gpu) (1, max by (cluster, node, gpu, {owner}) "
        f'(<gpu_utilization>{{{where},{job_label(measured)}!=""}}) * 0 + 1)'
    )
    plain = f"({expression})"
    joined = f"{plain} * on (cluster, node, gpu) group_left ({owner}) {owners}"
    return f"{joined} or on (cluster, node, gpu{', ' + labels if labels else ''}) {plain}"


def nvlink(matchers: str, measured: Measured, by: str) -> str:
    """Traffic of NVLink in bytes a second, from what the family and the settings have."""
    profiled = (
        f"sum by ({by}) (<nvlink_sent>{{{matchers}}}) + sum by ({by}) (<nvlink_received>{{{matchers}}})"
    )
    return (
        profiled
        if not missing(profiled, measured)
        else f"1e6 * sum by ({by}) (<nvlink_bandwidth>{{{matchers}}})"
    )


def gpus(by: str, where: str = AT) -> str:
    """How many GPUs answer; one that is split counts once."""
    return f"count by ({by}) (max by ({_with_gpu(by)}) (<gpu_temperature>{{{where}}}))"


def _with_gpu(by: str) -> str:
    return ", ".join(dict.fromkeys(["cluster", "node", "gpu", *by.split(", ")]))


def wanted(measured: Measured, what: str, where: str = AT) -> str:
    """How many GPUs or EFA devices each node should have, by its type; empty where nobody says.

    It follows from whether a node is known at all, so that a node with none left still lacks them.
    """
    counts = {
        nodes.instance_type: nodes.gpus if what == "gpus" else nodes.efa_devices
        for nodes in measured.gpu_nodes
    }
    parts = [
        f'(0 * max by (cluster, node, instance_type) (<up>{{{where},job="{NODE_JOB}",'
        f'instance_type="{instance_type}"}}) + {count})'
        for instance_type, count in sorted(counts.items())
        if count
    ]
    return " or ".join(parts)


def lacking(measured: Measured, what: str, where: str = AT) -> str:
    """How many of them each node lacks."""
    by = "cluster, node, instance_type"
    should = wanted(measured, what, where)
    if not should:
        return ""
    there = (
        gpus(by, where)
        if what == "gpus"
        else f"count by ({by}) (max by ({by}, device) (<efa_info>{{{where}}}))"
    )
    return f"({should}) - ({there} or 0 * ({should}))"


def silent(measured: Measured, job: str = "") -> str:
    """Exporters that do not answer, by node and job; `job`: that one alone.

    Programs of users answer only while they run. Under Slurm each node sends its own metrics, so that one
    which is gone has no series at all: it is looked for among those of the last two hours, as NodeLost does.
    """
    by = "cluster, node, job"
    which = f'job="{job}"' if job else 'job!="application"'
    down = f"max by ({by}) (<up>{{{AT},{which}}}) == 0"
    if on_kubernetes(measured):
        return down
    elastic = "|".join(measured.elastic)
    steady = f',group!~"{elastic}"' if elastic else ""
    host = f'{AT},job="{NODE_JOB}"'
    gone = f"max by ({by}) (max_over_time(<up>{{{host}{steady}}}[2h])) unless max by ({by}) (<up>{{{host}}})"
    return f"({down}) or ({gone})"


def prices(measured: Measured, count: str) -> str:
    """Dollars an hour: a count by `instance_type` times the price of a GPU; empty where no price is known.

    `count` has `TYPE` where the matcher of the type belongs.
    """
    known = {
        nodes.instance_type: nodes.dollars_per_gpu_hour
        for nodes in measured.gpu_nodes
        if nodes.dollars_per_gpu_hour is not None
    }
    parts = [
        f"{price:g} * ({count.replace('TYPE', f'instance_type={chr(34)}{name}{chr(34)}')})"
        for name, price in sorted(known.items())
    ]
    return " or ".join(parts)
