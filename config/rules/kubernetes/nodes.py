"""Rules for node labels, taints, node repair and pod limits."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.eks import Eks
from config.rules.registry import ERROR, WARNING, Finding, rule

_OURS = "ultracluster/"
_TAINTS = "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/"
_KUBELET = "https://kubernetes.io/docs/reference/command-line-tools-reference/kubelet/"
_KUBERNETES_DOMAINS = ("kubernetes.io", "k8s.io")
_KUBELET_DOMAINS = ("node.kubernetes.io", "kubelet.kubernetes.io")
_OTHER_DOMAINS = ("eks.amazonaws.com", "sagemaker.amazonaws.com", "k8s.aws", "karpenter.sh")
"""Domains whose labels and taints AWS and Karpenter set on nodes."""
_PLUGIN_DOMAINS = ("nvidia.com", "vpc.amazonaws.com", "feature.node.kubernetes.io")
"""Domains whose labels plugins set on nodes and act on; with another value, a plugin would not do what the
label declares (failure report EKS-50)."""
_MAX_TAINTS_OF_A_FLAVOR = 8
"""Maximum number of taints in a Kueue flavor (CustomResourceDefinition of ResourceFlavor)."""


@rule(
    "KUB040", ERROR, "at least one system group has no taint that keeps system pods off",
    why="CoreDNS, job operators and controllers do not tolerate custom taints. If each system node has a custom taint, these pods "
    "cannot start.",
    source=_TAINTS, reads="compute orchestrator", where="taints",
)  # fmt: skip
def system_nodes_are_open(design: Design) -> Iterator[Finding]:
    """Check that at least one system group with nodes has no taint that keeps system pods off."""
    if not isinstance(design.profile.orchestrator, Kubernetes):
        return
    system = [(at, group) for at, group in design.placed_groups if group.role == "system" and group.count]
    closed = [(at, group, key) for at, group in system if (key := _keeps_off(group)) is not None]
    if system and len(closed) == len(system):
        at, group, key = closed[0]
        yield Finding(
            at=(*at, "taints"),
            message=f"the taint {key} keeps system pods off the nodes of group {group.name}, and no other system group accepts these pods",
            hint="remove `taints`, or add a group with `role: system` and without taints",
        )


def _keeps_off(group: Group) -> str | None:
    return next((taint.key for taint in group.taints if taint.effect != "prefer-no-schedule"), None)


@rule(
    "KUB041", ERROR, "each taint of a node is unique, and no other component manages it",
    why="Kubernetes identifies a taint by its key and effect, and rejects duplicates. EKS GPU nodes already have nvidia.com/gpu. Kubernetes, AWS and CSI drivers add and remove their own taints with the state of a node, so a node that starts with one of them does not become ready.",
    source=_TAINTS, reads="compute orchestrator", where="taints",
)  # fmt: skip
def taints_are_unique(design: Design) -> Iterator[Finding]:
    """Report duplicate taints, also of node groups, and taints with keys that other components set."""
    from config.design.kubernetes.nodes.groups import GPU_TAINT

    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Kubernetes):
        return
    for at, group in design.placed_groups:
        seen: set[tuple[str, str]] = set()
        tainted = isinstance(orchestrator, Eks) and _has_gpus(group)
        for index, taint in enumerate(group.taints):
            own: Path = (*at, "taints", index)
            if _is_managed_by_others(taint.key):
                yield Finding(
                    at=(*own, "key"),
                    message=f"Kubernetes, AWS or a CSI driver manages the taint {taint.key}",
                    hint="use your own key, for example team",
                )
            elif tainted and (taint.key, taint.effect) == (GPU_TAINT, "no-schedule"):
                yield Finding(
                    at=own,
                    message=f"GPU nodes already have the taint {taint.key}",
                    hint="remove this taint; jobs from a queue tolerate the taint that exists",
                )
            elif (taint.key, taint.effect) in seen:
                yield Finding(
                    at=own,
                    message=f"group {group.name} has the taint `{taint.key}` with the effect {taint.effect} twice",
                    hint="remove one of the taints, or set another `key` or `effect`",
                )
            seen.add((taint.key, taint.effect))
        yield from _too_many(at, group, orchestrator)


def _is_managed_by_others(key: str) -> bool:
    domain = key.rpartition("/")[0]
    return domain.endswith("csi.aws.com") or _within(domain, (*_KUBERNETES_DOMAINS, *_OTHER_DOMAINS))


def _too_many(at: Path, group: Group, kubernetes: Kubernetes) -> Iterator[Finding]:
    number = sum(taint.effect != "prefer-no-schedule" for taint in group.taints)
    if group.role == "compute" and kubernetes.scheduler == "kueue" and number > _MAX_TAINTS_OF_A_FLAVOR:
        yield Finding(
            at=(*at, "taints"),
            message=f"group {group.name} has {number} taints that keep jobs off, but a Kueue flavor has at most "
            f"{_MAX_TAINTS_OF_A_FLAVOR}",
            hint=f"keep {_MAX_TAINTS_OF_A_FLAVOR} or fewer, or set `effect: prefer-no-schedule`",
        )


def _has_gpus(group: Group) -> bool:
    instance = catalog().instance(group.instance_type)
    return instance is not None and instance.is_gpu


@rule(
    "KUB042", ERROR, "a group's labels do not use keys that ultracluster, AWS or Kubernetes set",
    why="Queues, plugins and controllers select nodes by labels that start with ultracluster/. A kubelet does not start with a label in a Kubernetes domain, except node.kubernetes.io and kubelet.kubernetes.io. AWS and device plugins set their own labels to describe a node, and HyperPod rejects a label without a value.",
    source=_KUBELET, reads="compute orchestrator", where="labels",
)  # fmt: skip
def labels_are_not_reserved(design: Design) -> Iterator[Finding]:
    """Report labels whose keys ultracluster, AWS or Kubernetes set, and labels that a kubelet rejects."""
    from config.design.kubernetes.nodes.groups import GPU_LABEL

    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Kubernetes):
        return
    for at, group in design.placed_groups:
        for key, value in (group.labels or {}).items():
            if key.startswith(_OURS) or key == GPU_LABEL:
                message = f"ultracluster sets the label {key} on nodes of group {group.name}"
                hint = (
                    "remove this label" if key == GPU_LABEL else f"use another key, for example {_other(key)}"
                )
            elif _is_set_by_others(key):
                message = f"Kubernetes, AWS or a plugin sets the label {key} on nodes of group {group.name}"
                hint = f"use another key, for example {_other(key)}"
            elif isinstance(orchestrator, Eks) and _is_rejected(key):
                message = f"a kubelet does not start with the label {key}, which is reserved for Kubernetes"
                hint = f"use another key, for example {_other(key)}"
            elif not value and not isinstance(orchestrator, Eks):
                message = f"the label {key} of group {group.name} has no value, which HyperPod rejects"
                hint = 'set a value, for example "true"'
            else:
                continue
            yield Finding(at=(*at, "labels", key), message=message, hint=hint)


def _other(key: str) -> str:
    return f"team/{key.partition('/')[2]}"


def _is_set_by_others(key: str) -> bool:
    return key in _SET_BY_OTHERS or _within(key.rpartition("/")[0], _OTHER_DOMAINS + _PLUGIN_DOMAINS)


def _is_rejected(key: str) -> bool:
    """Return whether a kubelet rejects the label (`kubernetes/kubernetes:cmd/kubelet/app/options/options.go`)."""
    domain = key.rpartition("/")[0]
    return (
        _within(domain, _KUBERNETES_DOMAINS)
        and not _within(domain, _KUBELET_DOMAINS)
        and key not in _KUBELET_LABELS
    )


def _within(domain: str, domains: tuple[str, ...]) -> bool:
    return any(domain == one or domain.endswith(f".{one}") for one in domains)


_KUBELET_LABELS = frozenset(
    (
        "kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch",
        "beta.kubernetes.io/os", "beta.kubernetes.io/arch", "beta.kubernetes.io/instance-type",
        "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
    )
)  # fmt: skip
"""Labels that a kubelet can set on its own node (`kubernetes/kubernetes:.../well_known_labels.go`)."""

_SET_BY_OTHERS = frozenset(
    (
        "kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch", "node.kubernetes.io/instance-type",
    )
)  # fmt: skip
"""Labels that other components set on each node; queues, topologies and plugins select nodes by them."""


@rule(
    "KUB043", WARNING, "node repair uses the reports of the node monitoring agent",
    why="Without the agent, EKS repairs a node only if the node's kubelet is not ready. GPU faults are not detected, and jobs "
    "hang on nodes with faulty GPUs.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html", reads="orchestrator compute",
    where="eks",
)  # fmt: skip
def repair_has_node_reports(design: Design) -> Iterator[Finding]:
    """Report `node_repair` without the node monitoring agent in a cluster with GPUs."""
    eks = design.profile.orchestrator
    if not isinstance(eks, Eks) or eks.components.node_monitoring or not eks.node_repair.enabled:
        return
    if any(_has_gpus(group) for _, group in design.placed_groups):
        yield Finding(
            at=("orchestrator", "components", "node_monitoring"),
            message="without the node monitoring agent, EKS does not repair nodes with faulty GPUs",
            hint="set `node_monitoring` to true, or set `node_repair: {enabled: false}` if you monitor "
            "nodes with another tool",
        )


@rule(
    "KUB019", ERROR, "`pods_per_node` is higher than the number of pods that run on every node",
    why="The VPC CNI, credential agents, CSI drivers, plugins and exporters run one pod on each node, and these pods count. If the limit is too low, CoreDNS and jobs cannot start.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html",
    reads="compute orchestrator storage data network observability", where="eks",
)  # fmt: skip
def nodes_have_room_for_pods(design: Design) -> Iterator[Finding]:
    """Compare `pods_per_node` with the number of DaemonSet pods."""
    orchestrator, plan = design.profile.orchestrator, design.eks
    if not isinstance(orchestrator, Eks) or orchestrator.pods_per_node is None or plan is None:
        return
    from config.design.kubernetes.devices import group_devices

    owners = {one.group: one for one in group_devices(orchestrator, design.groups)}
    names = [one.name for one in (*plan.contents.addons, *plan.contents.steps)]
    shared = sum(name in _ON_EVERY_NODE for name in names)
    of_gpus = sum(name in _ON_GPU_NODES for name in names)
    most = 0
    for group in design.groups:
        own, gpu = owners.get(group.name), group.instance_type.is_gpu
        handed = int(own is not None and own.efa is not None)
        if own is not None and own.gpu:
            handed += _OF_THE_OPERATOR if own.operated else int(own.gpu in ("plugin", "dra"))
        most = max(most, shared + handed + of_gpus * gpu)
    if orchestrator.pods_per_node <= most:
        yield Finding(
            at=("orchestrator", "pods_per_node"),
            message=f"`pods_per_node` is {orchestrator.pods_per_node}, but at least one group already has {most} system pods on "
            "every node",
            hint=f"set `pods_per_node` to more than {most} plus your own pods, or remove `pods_per_node`",
        )


_ON_EVERY_NODE = frozenset(
    (
        "vpc-cni", "kube-proxy", "eks-pod-identity-agent", "eks-node-monitoring-agent", "aws-fsx-csi-driver",
        "aws-mountpoint-s3-csi-driver", "aws-fsx-openzfs-csi-driver", "node-exporter",
    )
)  # fmt: skip
"""Add-ons and releases that run a pod on each node."""

_ON_GPU_NODES = frozenset(("eks-node-monitoring-agent", "dcgm-exporter"))
"""Components that run one more pod on each GPU node."""

_OF_THE_OPERATOR = 4
"""GPU operator pods on a node: node feature discovery, GPU feature discovery, device plugin and validator."""
