"""Alerts for Kubernetes node conditions, pods that do not start, and Kueue jobs that are pending or evicted."""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import HOUR, MINUTE, Alert, Threshold

_OF_NODES = "Run `kubectl describe node`: the conditions contain the report of the EKS node monitoring agent."

_PLANES = ("eks", "hyperpod-eks")
_alert = partial(Alert, family="scheduler", planes=_PLANES)

ALERTS = (
    _alert(
        name="NodeHardwareUnready",
        severity="critical",
        family="gpu",
        action="reboot",
        queries="max by (cluster, node)"
        ' (<node_condition>{condition="AcceleratedHardwareReady", status="false"}) == 1',
        summary="{{ $labels.node }}: GPUs are not ready",
        meaning="The EKS node monitoring agent found a GPU fault that requires a repair of the node.",
        checks=(_OF_NODES, "Read docs/repair.md for the repairs that are automatic."),
        remedy="No action is needed if node repair is on: it starts after ten minutes. Otherwise reboot or replace the node.",
        for_s=2 * MINUTE,
    ),
    _alert(
        name="NodeConditionBad",
        family="node",
        queries="max by (cluster, node, condition) ((<node_condition>"
        '{condition=~"(Kernel|Networking|Storage|ContainerRuntime)Ready", status="false"} == 1)'
        ' or (<node_condition>{condition=~"(Memory|Disk|PID)Pressure", status="true"} == 1))',
        summary="{{ $labels.node }}: {{ $labels.condition }}",
        meaning="The kubelet or the EKS node monitoring agent reports a problem of the node.",
        checks=(_OF_NODES,),
        remedy="Repair what the condition describes. If node repair is on, it starts after half an hour.",
    ),
    _alert(
        name="PodsFail",
        queries="count by (cluster, namespace, reason) (<pod_waiting>{reason=~"
        '"CrashLoopBackOff|ErrImagePull|ImagePullBackOff|CreateContainerConfigError|CreateContainerError"} == 1)'
        " > $threshold",
        threshold=Threshold(value=0, unit="containers"),
        summary="{{ $labels.namespace }}: containers in {{ $labels.reason }}: {{ $value }}",
        meaning="Containers do not start, or stop immediately after the start.",
        checks=("Run `kubectl get pods -n NAMESPACE` and `kubectl describe pod`.",),
        remedy="Correct what the reason describes: the image, a secret, or the program itself.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="PodsWait",
        # the same pod is pending now and an hour ago: in a busy namespace, some pod is always pending for a short time
        queries='count by (cluster, namespace) (<pod_phase>{phase="Pending"} == 1'
        ' and on (cluster, namespace, pod, uid) <pod_phase>{phase="Pending"} offset 1h == 1) > $threshold',
        threshold=Threshold(value=0, unit="pods"),
        summary="{{ $labels.namespace }}: pods pending for an hour: {{ $value }}",
        meaning="The scheduler finds no node for these pods. The nodes have no free resources, or taints, zones or node selectors "
        "exclude them.",
        checks=("Run `kubectl describe pod` and read the events of the scheduler.",),
        remedy="Add nodes, or correct the constraint that the events show. Jobs that Kueue has not admitted have no pods yet.",
    ),
    _alert(
        name="KueueJobsWait",
        severity="info",
        queries='sum by (cluster, cluster_queue) (<kueue_pending>{status="active"}) > $threshold',
        threshold=Threshold(value=0, unit="jobs"),
        summary="{{ $labels.cluster_queue }}: pending jobs for four hours: {{ $value }}",
        meaning="The jobs of the queue need more than its quota, and some have been pending for four hours.",
        checks=(
            "Run `kubectl get workloads -A`.",
            "Compare quota and usage of the queue in the Kubernetes dashboard.",
        ),
        remedy="No action is needed if this is intended. Otherwise let queues lend quota to each other.",
        for_s=4 * HOUR,
    ),
    _alert(
        name="KueueJobsStuck",
        queries='sum by (cluster, cluster_queue) (<kueue_pending>{status="inadmissible"}) > 0'
        " and on (cluster, cluster_queue) (sum by (cluster, cluster_queue) (<kueue_admitted>) == 0)",
        summary="{{ $labels.cluster_queue }}: inadmissible jobs: {{ $value }}, running jobs: 0",
        meaning="No job of the queue runs, but its pending jobs are not admitted. They request resources that no quota or node "
        "provides.",
        checks=("Run `kubectl describe workload` and read why the job is not admitted.",),
        remedy="Correct the resource requests of the job, or the quota.",
        for_s=30 * MINUTE,
    ),
    _alert(
        name="KueueEvictions",
        queries="sum by (cluster, cluster_queue, reason) (increase(<kueue_evicted>[30m])) > $threshold",
        threshold=Threshold(value=5, unit="jobs in 30 minutes"),
        summary="{{ $labels.cluster_queue }}: jobs evicted for {{ $labels.reason }}: {{ printf `%.0f` $value }}",
        meaning="Kueue admits jobs and evicts them again, so that they progress slowly.",
        checks=(
            "Run `kubectl get events -A --field-selector reason=Preempted`.",
            "Check for jobs whose pods do not become ready in time.",
        ),
        remedy="Set different priorities for the jobs. Increase the time that pods have to become ready.",
        for_s=0,
    ),
)
