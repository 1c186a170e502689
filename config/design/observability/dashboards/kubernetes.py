"""Dashboard rows for Kubernetes and Kueue: nodes, GPUs, pending pods and queues."""

from __future__ import annotations

from config.design.observability.dashboards.parts import (
    ANY_IS_BAD,
    ANY_IS_ODD,
    PLAIN,
    Panel,
    Steps,
    lines,
    row,
    stat,
    table,
)
from config.design.observability.dashboards.promql import IN

_GPU = 'resource="nvidia_com_gpu"'


def _count(title: str, description: str, expression: str, steps: Steps = PLAIN) -> Panel:
    return stat(title, description, f"{expression} or vector(0)", steps=steps)


_NOW = row(
    "Now",
    _count(
        "Nodes that are not ready",
        "Nodes whose kubelet does not respond or reports a problem.",
        f'sum(<node_condition>{{{IN},condition="Ready",status=~"false|unknown"}})',
        ANY_IS_BAD,
    ),
    _count("Cordoned nodes", "Nodes that accept no new pods.", f"sum(<node_unschedulable>{{{IN}}})"),
    _count(
        "Requested GPUs",
        "GPU requests of all pods, running or not.",
        f"sum(<pod_requests>{{{IN},{_GPU}}})",
    ),
    _count(
        "Allocatable GPUs", "GPUs that the nodes offer to pods.", f"sum(<node_allocatable>{{{IN},{_GPU}}})"
    ),
    width=6,
    height=5,
)

_NODES = row(
    "Nodes",
    table(
        "Node conditions",
        "Problems of nodes that the kubelet or the EKS node monitoring agent reports.",
        (
            f'max by (node, condition) (<node_condition>{{{IN},condition!~".*Ready",'
            f'status="true"}}) > 0 or max by (node, condition) (<node_condition>{{{IN},'
            'condition=~".*Ready",status=~"false|unknown"}) > 0',
            "Active",
        ),
        columns=("node", "condition"),
        mappings={"1": "yes"},
    ),
    lines(
        "Allocatable and used GPUs",
        "GPUs that nodes offer, and GPUs that pods on nodes use.",
        (f"sum(<node_allocatable>{{{IN},{_GPU}}})", "allocatable"),
        (f'sum(<pod_requests>{{{IN},{_GPU},node!=""}})', "in use"),
    ),
)

_PODS = row(
    "Pods",
    lines(
        "Pods by phase",
        "Pods in all namespaces.",
        (f"sum by (phase) (<pod_phase>{{{IN}}}) > 0", "{{phase}}"),
        stacked=True,
    ),
    table(
        "Waiting pods",
        "Pods with containers that do not start, and the reason.",
        (f"max by (namespace, pod, reason) (<pod_waiting>{{{IN}}}) > 0", "Waiting"),
        columns=("namespace", "pod", "reason"),
        mappings={"1": "yes"},
        linked=False,
    ),
)

_QUEUES = row(
    "Kueue queues",
    lines(
        "Pending workloads",
        "Pending workloads by queue. `inadmissible` workloads request more than the queue can have.",
        (f"sum by (cluster_queue, status) (<kueue_pending>{{{IN}}})", "{{cluster_queue}} {{status}}"),
    ),
    lines(
        "Admitted workloads",
        "Admitted workloads by queue.",
        (f"sum by (cluster_queue) (<kueue_admitted>{{{IN}}})", "{{cluster_queue}}"),
    ),
    lines(
        "Time until admission",
        "95th percentile of the time from submission to admission.",
        (
            "histogram_quantile(0.95, sum by (cluster_queue, le) "
            f"(rate(<kueue_wait>_bucket{{{IN}}}[$__rate_interval])))",
            "{{cluster_queue}}",
        ),
        unit="s",
        width=8,
    ),
    lines(
        "Evicted workloads",
        "Evictions by queue and reason: preemption, or pods that were not ready in time.",
        (
            f"sum by (cluster_queue, reason) (increase(<kueue_evicted>{{{IN}}}[$__rate_interval]))",
            "{{cluster_queue}} {{reason}}",
        ),
        steps=ANY_IS_ODD,
        width=8,
    ),
    lines(
        "GPUs by queue",
        "GPUs that each queue uses, and its quota.",
        (
            f'sum by (cluster_queue) (<kueue_used>{{{IN},resource="nvidia.com/gpu"}})',
            "{{cluster_queue}} used",
        ),
        (
            f'sum by (cluster_queue) (<kueue_quota>{{{IN},resource="nvidia.com/gpu"}})',
            "{{cluster_queue}} quota",
        ),
        width=8,
    ),
)

KUBERNETES_ROWS = (_NOW, _NODES, _PODS, _QUEUES)
"""All rows of the scheduler dashboard with Kubernetes."""
