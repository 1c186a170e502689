"""Kubernetes and Kueue: nodes, GPUs, pods that wait, queues."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    IN,
    TO_NODE,
)
from config.design.observability.dashboards.parts import ANY_IS_BAD, ANY_IS_ODD, Panel, Query, Row

_GPU = 'resource="nvidia_com_gpu"'


def kubernetes_rows() -> tuple[Row, ...]:
    """All rows."""
    return _now(), _nodes(), _pods(), _queues()


def _now() -> Row:
    def stat(title: str, description: str, expression: str, bad: bool = False) -> Panel:
        return Panel(
            kind="stat",
            title=title,
            description=description,
            queries=(Query(expression=f"{expression} or vector(0)", legend=title),),
            steps=ANY_IS_BAD if bad else ((None, "blue"),),
            width=6,
            height=5,
        )

    return Row(
        title="Now",
        panels=(
            stat(
                "Nodes that are not ready",
                "Nodes whose kubelet does not answer or is not well.",
                f'sum(<node_condition>{{{IN},condition="Ready",status=~"false|unknown"}})',
                bad=True,
            ),
            stat(
                "Nodes that take no pods",
                "Nodes that are cordoned.",
                f"sum(<node_unschedulable>{{{IN}}})",
            ),
            stat(
                "GPUs that pods asked for",
                "Requests of pods, whether they run or not.",
                f"sum(<pod_requests>{{{IN},{_GPU}}})",
            ),
            stat("GPUs there are", "What nodes offer.", f"sum(<node_allocatable>{{{IN},{_GPU}}})"),
        ),
    )


def _nodes() -> Row:
    return Row(
        title="Nodes",
        panels=(
            Panel(
                kind="table",
                title="Conditions of nodes",
                description="What is wrong with nodes, as the kubelet and the node monitoring agent say it.",
                queries=(
                    Query(
                        expression=f'max by (node, condition) (<node_condition>{{{IN},condition!~".*Ready",'
                        f'status="true"}}) > 0 or max by (node, condition) (<node_condition>{{{IN},'
                        'condition=~".*Ready",status=~"false|unknown"}) > 0'
                    ),
                ),
                columns={"node": "Node", "condition": "Condition"},
                values=("Holds",),
                mappings={"1": "yes"},
                links=(TO_NODE,),
            ),
            Panel(
                kind="timeseries",
                title="GPUs on offer and in use",
                description="What nodes offer and what pods on nodes have.",
                queries=(
                    Query(expression=f"sum(<node_allocatable>{{{IN},{_GPU}}})", legend="there"),
                    Query(expression=f'sum(<pod_requests>{{{IN},{_GPU},node!=""}})', legend="in use"),
                ),
                smallest=0,
            ),
        ),
    )


def _pods() -> Row:
    return Row(
        title="Pods",
        panels=(
            Panel(
                kind="timeseries",
                title="Pods by phase",
                description="Pods of all namespaces.",
                queries=(Query(expression=f"sum by (phase) (<pod_phase>{{{IN}}}) > 0", legend="{{phase}}"),),
                smallest=0,
                stacked=True,
            ),
            Panel(
                kind="table",
                title="Pods that wait, and why",
                description="Containers that do not start.",
                queries=(Query(expression=f"max by (namespace, pod, reason) (<pod_waiting>{{{IN}}}) > 0"),),
                columns={"namespace": "Namespace", "pod": "Pod", "reason": "Reason"},
                values=("Waits",),
                mappings={"1": "yes"},
            ),
        ),
    )


def _queues() -> Row:
    return Row(
        title="Queues of Kueue",
        panels=(
            Panel(
                kind="timeseries",
                title="Workloads that wait",
                description="By queue; `inadmissible` ones want more than the queue may have.",
                queries=(
                    Query(
                        expression=f"sum by (cluster_queue, status) (<kueue_pending>{{{IN}}})",
                        legend="{{cluster_queue}} {{status}}",
                    ),
                ),
                smallest=0,
            ),
            Panel(
                kind="timeseries",
                title="Workloads that run",
                description="By queue.",
                queries=(
                    Query(
                        expression=f"sum by (cluster_queue) (<kueue_admitted>{{{IN}}})",
                        legend="{{cluster_queue}}",
                    ),
                ),
                smallest=0,
            ),
            Panel(
                kind="timeseries",
                title="Time until admission",
                description="How long nineteen of twenty workloads wait at most.",
                queries=(
                    Query(
                        expression="histogram_quantile(0.95, sum by (cluster_queue, le) "
                        f"(rate(<kueue_wait>_bucket{{{IN}}}[$__rate_interval])))",
                        legend="{{cluster_queue}}",
                    ),
                ),
                unit="s",
                smallest=0,
                width=8,
            ),
            Panel(
                kind="timeseries",
                title="Workloads that were stopped again",
                description="By queue and reason: preempted, or pods that were not ready in time.",
                queries=(
                    Query(
                        expression="sum by (cluster_queue, reason) "
                        f"(increase(<kueue_evicted>{{{IN}}}[$__rate_interval]))",
                        legend="{{cluster_queue}} {{reason}}",
                    ),
                ),
                steps=ANY_IS_ODD,
                smallest=0,
                width=8,
            ),
            Panel(
                kind="timeseries",
                title="GPUs of queues",
                description="What queues use of their quota.",
                queries=(
                    Query(
                        expression=f'sum by (cluster_queue) (<kueue_used>{{{IN},resource="nvidia.com/gpu"}})',
                        legend="{{cluster_queue}} used",
                    ),
                    Query(
                        expression="sum by (cluster_queue) "
                        f'(<kueue_quota>{{{IN},resource="nvidia.com/gpu"}})',
                        legend="{{cluster_queue}} quota",
                    ),
                ),
                smallest=0,
                width=8,
            ),
        ),
    )
