"""Kubernetes and Kueue: nodes, GPUs, pods that wait, queues."""

from __future__ import annotations

from config.design.observability.dashboards.ask import IN
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

_GPU = 'resource="nvidia_com_gpu"'


def _count(title: str, description: str, expression: str, steps: Steps = PLAIN) -> Panel:
    return stat(title, description, f"{expression} or vector(0)", steps=steps)


_NOW = row(
    "Now",
    _count(
        "Nodes that are not ready",
        "Nodes whose kubelet does not answer or is not well.",
        f'sum(<node_condition>{{{IN},condition="Ready",status=~"false|unknown"}})',
        ANY_IS_BAD,
    ),
    _count("Nodes that take no pods", "Nodes that are cordoned.", f"sum(<node_unschedulable>{{{IN}}})"),
    _count(
        "GPUs that pods asked for",
        "Requests of pods, whether they run or not.",
        f"sum(<pod_requests>{{{IN},{_GPU}}})",
    ),
    _count("GPUs there are", "What nodes offer.", f"sum(<node_allocatable>{{{IN},{_GPU}}})"),
    width=6,
    height=5,
)

_NODES = row(
    "Nodes",
    table(
        "Conditions of nodes",
        "What is wrong with nodes, as the kubelet and the node monitoring agent say it.",
        (
            f'max by (node, condition) (<node_condition>{{{IN},condition!~".*Ready",'
            f'status="true"}}) > 0 or max by (node, condition) (<node_condition>{{{IN},'
            'condition=~".*Ready",status=~"false|unknown"}) > 0',
            "Holds",
        ),
        columns=("node", "condition"),
        mappings={"1": "yes"},
    ),
    lines(
        "GPUs on offer and in use",
        "What nodes offer and what pods on nodes have.",
        (f"sum(<node_allocatable>{{{IN},{_GPU}}})", "there"),
        (f'sum(<pod_requests>{{{IN},{_GPU},node!=""}})', "in use"),
    ),
)

_PODS = row(
    "Pods",
    lines(
        "Pods by phase",
        "Pods of all namespaces.",
        (f"sum by (phase) (<pod_phase>{{{IN}}}) > 0", "{{phase}}"),
        stacked=True,
    ),
    table(
        "Pods that wait, and why",
        "Containers that do not start.",
        (f"max by (namespace, pod, reason) (<pod_waiting>{{{IN}}}) > 0", "Waits"),
        columns=("namespace", "pod", "reason"),
        mappings={"1": "yes"},
        linked=False,
    ),
)

_QUEUES = row(
    "Queues of Kueue",
    lines(
        "Workloads that wait",
        "By queue; `inadmissible` ones want more than the queue may have.",
        (f"sum by (cluster_queue, status) (<kueue_pending>{{{IN}}})", "{{cluster_queue}} {{status}}"),
    ),
    lines(
        "Workloads that run",
        "By queue.",
        (f"sum by (cluster_queue) (<kueue_admitted>{{{IN}}})", "{{cluster_queue}}"),
    ),
    lines(
        "Time until admission",
        "How long nineteen of twenty workloads wait at most.",
        (
            "histogram_quantile(0.95, sum by (cluster_queue, le) "
            f"(rate(<kueue_wait>_bucket{{{IN}}}[$__rate_interval])))",
            "{{cluster_queue}}",
        ),
        unit="s",
        width=8,
    ),
    lines(
        "Workloads that were stopped again",
        "By queue and reason: preempted, or pods that were not ready in time.",
        (
            f"sum by (cluster_queue, reason) (increase(<kueue_evicted>{{{IN}}}[$__rate_interval]))",
            "{{cluster_queue}} {{reason}}",
        ),
        steps=ANY_IS_ODD,
        width=8,
    ),
    lines(
        "GPUs of queues",
        "What queues use of their quota.",
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
"""All rows."""
