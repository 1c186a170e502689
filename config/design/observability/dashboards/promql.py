"""PromQL expressions that dashboards share: label matchers, the job of a GPU, and expected device counts."""

from __future__ import annotations

from config.design.observability.dashboards.parts import Variable
from config.design.observability.model import Measured
from config.design.observability.names import missing

IN = 'cluster="$cluster"'
AT = 'cluster="$cluster",node=~"$node"'
NODE_JOB = "node"
"""Label `job` of the series of node_exporter, which runs on every node."""

CLUSTER = Variable(name="cluster", label="Cluster", query="label_values(<up>, cluster)", many=False)
NODES = Variable(name="node", label="Node", query=f'label_values(<up>{{{IN},job="{NODE_JOB}"}}, node)')
ONE_NODE = Variable(
    name="node", label="Node", query=f'label_values(<up>{{{IN},job="{NODE_JOB}"}}, node)', many=False
)


def on_kubernetes(measured: Measured) -> bool:
    """Return whether jobs are pods."""
    return measured.control_plane in ("eks", "hyperpod-eks")


def job_labels(measured: Measured) -> tuple[str, ...]:
    """Return the labels of GPU metrics that identify the job; the last label is the job itself.

    DCGM's exporter sets them: `hpc_job` from a file that Slurm's prolog writes, pod and namespace from the
    kubelet (https://github.com/NVIDIA/dcgm-exporter).
    """
    return ("namespace", "pod") if on_kubernetes(measured) else ("hpc_job",)


def job_label(measured: Measured) -> str:
    """Return the label of the job itself."""
    return job_labels(measured)[-1]


def jobs(measured: Measured) -> Variable:
    """Return the dashboard variable that selects jobs."""
    return Variable(
        name="job",
        label="Pod" if on_kubernetes(measured) else "Job",
        query=f"label_values(<gpu_utilization>{{{IN}}}, {job_label(measured)})",
    )


def rate(key: str, where: str = AT) -> str:
    """Return an expression for the increase of a counter per second."""
    return f"rate(<{key}>{{{where}}}[$__rate_interval])"


def with_job(expression: str, labels: str, measured: Measured, where: str = AT) -> str:
    """Return an expression that adds the job of the GPU to values by `cluster, node, gpu` and more labels.

    If several jobs share a GPU, the result names one of them. A value that belongs to no job has no job label
    in the result.
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
    """Return an expression for NVLink traffic in bytes per second, from the metrics that the cluster has."""
    profiled = (
        f"sum by ({by}) (<nvlink_sent>{{{matchers}}}) + sum by ({by}) (<nvlink_received>{{{matchers}}})"
    )
    return (
        profiled
        if not missing(profiled, measured)
        else f"1e6 * sum by ({by}) (<nvlink_bandwidth>{{{matchers}}})"
    )


def gpus(by: str, where: str = AT) -> str:
    """Return an expression for the number of GPUs with metrics; a partitioned GPU counts once."""
    return f"count by ({by}) (max by ({_with_gpu(by)}) (<gpu_temperature>{{{where}}}))"


def _with_gpu(by: str) -> str:
    return ", ".join(dict.fromkeys(["cluster", "node", "gpu", *by.split(", ")]))


def expected_devices(measured: Measured, what: str, where: str = AT) -> str:
    """Return an expression for the expected GPUs or EFA devices of each node; empty if the number is unknown.

    The expression uses only the `up` series of a node, so the result includes nodes without any device.
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


def missing_devices(measured: Measured, what: str, where: str = AT) -> str:
    """Return an expression for the number of missing GPUs or EFA devices of each node."""
    by = "cluster, node, instance_type"
    should = expected_devices(measured, what, where)
    if not should:
        return ""
    there = (
        gpus(by, where)
        if what == "gpus"
        else f"count by ({by}) (max by ({by}, device) (<efa_info>{{{where}}}))"
    )
    return f"({should}) - ({there} or 0 * ({should}))"


def unresponsive(measured: Measured, job: str = "") -> str:
    """Return an expression for exporters that do not respond, by node and job; `job`: only this job.

    Programs of users respond only while they run. With Slurm each node sends its own metrics, so a lost node
    has no series. The expression finds the lost node because it had series in the last two hours, as the alert
    NodeLost does.
    """
    by = "cluster, node, job"
    which = f'job="{job}"' if job else 'job!="application"'
    down = f"max by ({by}) (<up>{{{AT},{which}}}) == 0"
    if on_kubernetes(measured):
        return down
    elastic = "|".join(measured.elastic)
    steady = f',group!~"{elastic}"' if elastic else ""
    host = f'{AT},job="{NODE_JOB}"'
    lost = f"max by ({by}) (max_over_time(<up>{{{host}{steady}}}[2h])) unless max by ({by}) (<up>{{{host}}})"
    return f"({down}) or ({lost})"


def prices(measured: Measured, count: str) -> str:
    """Return an expression for USD per hour: a count of GPUs times their price; empty if no price is known.

    `count` contains `TYPE` in place of the matcher for the instance type.
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
