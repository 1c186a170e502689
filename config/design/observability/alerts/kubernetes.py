"""Kubernetes: nodes that report conditions, pods that do not start, and jobs that Kueue holds or puts out."""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import HOUR, MINUTE, Alert, Threshold

_OF_NODES = "EKS's node monitoring agent says which in `kubectl describe node`"

_PLANES = ("eks", "hyperpod-eks")
_alert = partial(Alert, family="scheduler", planes=_PLANES)

ALERTS = (
    _alert(
        name="NodeHardwareUnready",
        severity="critical",
        family="gpu",
        action="reboot",
        asks="max by (cluster, node)"
        ' (<node_condition>{condition="AcceleratedHardwareReady", status="false"}) == 1',
        summary="{{ $labels.node }}: its GPUs are not ready",
        meaning="EKS's node monitoring agent found a fault of GPUs for which the node is repaired.",
        look=(_OF_NODES, "docs/repair.md: what is done by itself"),
        cure="Nothing where node repair is on: it acts after ten minutes; otherwise reboot or replace the node.",
        for_s=2 * MINUTE,
    ),
    _alert(
        name="NodeConditionBad",
        family="node",
        asks="max by (cluster, node, condition) ((<node_condition>"
        '{condition=~"(Kernel|Networking|Storage|ContainerRuntime)Ready", status="false"} == 1)'
        ' or (<node_condition>{condition=~"(Memory|Disk|PID)Pressure", status="true"} == 1))',
        summary="{{ $labels.node }}: {{ $labels.condition }}",
        meaning="The kubelet or the node monitoring agent says that the node is not well.",
        look=(_OF_NODES,),
        cure="What the condition says; node repair acts after half an hour where it is on.",
    ),
    _alert(
        name="PodsFail",
        asks="count by (cluster, namespace, reason) (<pod_waiting>{reason=~"
        '"CrashLoopBackOff|ErrImagePull|ImagePullBackOff|CreateContainerConfigError|CreateContainerError"} == 1)'
        " > $threshold",
        threshold=Threshold(value=0, unit="containers"),
        summary="{{ $labels.namespace }}: {{ $value }} containers wait for {{ $labels.reason }}",
        meaning="Containers do not start, or end at once.",
        look=("`kubectl get pods -n NAMESPACE` and `kubectl describe pod`",),
        cure="What the reason says: an image, a secret, or the program itself.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="PodsWait",
        # the same pod now as then: in a busy namespace some pod always waits for a moment
        asks='count by (cluster, namespace) (<pod_phase>{phase="Pending"} == 1'
        ' and on (cluster, namespace, pod, uid) <pod_phase>{phase="Pending"} offset 1h == 1) > $threshold',
        threshold=Threshold(value=0, unit="pods"),
        summary="{{ $labels.namespace }}: {{ $value }} pods have waited for an hour",
        meaning="Admitted pods find no node: none has room, or a taint, a zone or a node keeps them out.",
        look=("`kubectl describe pod`: events of the scheduler",),
        cure="Give them room; jobs of Kueue are no pods before they are admitted.",
    ),
    _alert(
        name="KueueJobsWait",
        severity="info",
        asks='sum by (cluster, cluster_queue) (<kueue_pending>{status="active"}) > $threshold',
        threshold=Threshold(value=0, unit="jobs"),
        summary="{{ $labels.cluster_queue }}: {{ $value }} jobs wait for four hours",
        meaning="The queue has more work than quota.",
        look=("`kubectl get workloads -A`", "the dashboard of queues: quota beside use"),
        cure="Nothing where that is meant; otherwise lend quota between queues.",
        for_s=4 * HOUR,
    ),
    _alert(
        name="KueueJobsStuck",
        asks='sum by (cluster, cluster_queue) (<kueue_pending>{status="inadmissible"}) > 0'
        " and on (cluster, cluster_queue) (sum by (cluster, cluster_queue) (<kueue_admitted>) == 0)",
        summary="{{ $labels.cluster_queue }}: {{ $value }} jobs wait and none runs",
        meaning="Nothing of the queue runs, and still its jobs are not admitted: they ask for what nothing has.",
        look=("`kubectl describe workload`: why it is not admitted",),
        cure="Correct what the job asks for, or the quota.",
        for_s=30 * MINUTE,
    ),
    _alert(
        name="KueueEvictions",
        asks="sum by (cluster, cluster_queue, reason) (increase(<kueue_evicted>[30m])) > $threshold",
        threshold=Threshold(value=5, unit="jobs in 30 minutes"),
        summary="{{ $labels.cluster_queue }}: {{ printf `%.0f` $value }} jobs were put out for {{ $labels.reason }}",
        meaning="Jobs are admitted and put out again: they take turns in place of running.",
        look=(
            "`kubectl get events -A --field-selector reason=Preempted`",
            "jobs whose pods do not get ready in time",
        ),
        cure="Set priorities apart; give pods longer to get ready.",
        for_s=0,
    ),
)
