"""What Kubernetes takes of the labels and taints of a group's nodes, and who hears that one is not well."""

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
_OF_KUBERNETES = ("kubernetes.io", "k8s.io")
_OF_KUBELETS = ("node.kubernetes.io", "kubelet.kubernetes.io")
_OF_OTHERS = ("eks.amazonaws.com", "sagemaker.amazonaws.com", "k8s.aws", "karpenter.sh")
"""Domains whose labels and taints AWS and Karpenter give to nodes by themselves."""
_MOST_OF_A_FLAVOR = 8
"""Taints of a flavor of Kueue (CustomResourceDefinition of ResourceFlavor)."""


@rule(
    "KUB040", ERROR, "a system group is open to what the cluster runs",
    why="Names of services, operators of jobs and controllers have no toleration for taints of the user's own, and wait for ever where every system node has one.",
    source=_TAINTS, reads="compute orchestrator", where="taints",
)  # fmt: skip
def system_nodes_are_open(design: Design) -> Iterator[Finding]:
    """Some system group without a taint that keeps pods off."""
    if not isinstance(design.profile.orchestrator, Kubernetes):
        return
    system = [(at, group) for at, group in design.placed_groups if group.role == "system" and group.count]
    closed = [(at, group, key) for at, group in system if (key := _keeps_off(group)) is not None]
    if system and len(closed) == len(system):
        at, group, key = closed[0]
        yield Finding(
            at=(*at, "taints"),
            message=f"the taint {key} keeps what the cluster itself runs off group {group.name}, and no other "
            "group is there for it",
            hint="take `taints` out, or add a group with `role: system` that has none",
        )


def _keeps_off(group: Group) -> str | None:
    return next((taint.key for taint in group.taints if taint.effect != "prefer-no-schedule"), None)


@rule(
    "KUB041", ERROR, "a node has each taint once, and none that somebody else gives and takes",
    why="A taint is known by its key and its effect: Kubernetes refuses a second one of the same. GPU nodes of EKS have nvidia.com/gpu already. Those of Kubernetes, of AWS and of drivers come and go with the state of a node: one that begins with them is never ready.",
    source=_TAINTS, reads="compute orchestrator", where="taints",
)  # fmt: skip
def taints_are_there_once(design: Design) -> Iterator[Finding]:
    """Taints of one key and one effect, those of the node groups included, and keys of others."""
    from config.design.kubernetes.nodes.groups import GPU_TAINT

    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Kubernetes):
        return
    for at, group in design.placed_groups:
        seen: set[tuple[str, str]] = set()
        given = isinstance(orchestrator, Eks) and _has_gpus(group)
        for index, taint in enumerate(group.taints):
            own: Path = (*at, "taints", index)
            if _is_anothers(taint.key):
                yield Finding(
                    at=(*own, "key"),
                    message=f"something else gives nodes the taint {taint.key}, and takes it away",
                    hint="write a key of your own, such as team",
                )
            elif given and (taint.key, taint.effect) == (GPU_TAINT, "no-schedule"):
                yield Finding(
                    at=own,
                    message=f"GPU nodes have the taint {taint.key} already",
                    hint="take it out; jobs that a queue admits tolerate it",
                )
            elif (taint.key, taint.effect) in seen:
                yield Finding(
                    at=own,
                    message=f"a second taint {taint.key} of group {group.name} with the effect {taint.effect}",
                    hint="take one out, or give it another `key` or `effect`",
                )
            seen.add((taint.key, taint.effect))
        yield from _too_many(at, group, orchestrator)


def _is_anothers(key: str) -> bool:
    domain = key.rpartition("/")[0]
    return domain.endswith("csi.aws.com") or _within(domain, (*_OF_KUBERNETES, *_OF_OTHERS))


def _too_many(at: Path, group: Group, kubernetes: Kubernetes) -> Iterator[Finding]:
    number = sum(taint.effect != "prefer-no-schedule" for taint in group.taints)
    if group.role == "compute" and kubernetes.scheduler == "kueue" and number > _MOST_OF_A_FLAVOR:
        yield Finding(
            at=(*at, "taints"),
            message=f"{number} taints keep jobs off group {group.name}; Kueue knows {_MOST_OF_A_FLAVOR} of a flavor",
            hint=f"keep {_MOST_OF_A_FLAVOR} or fewer, or write `effect: prefer-no-schedule`",
        )


def _has_gpus(group: Group) -> bool:
    instance = catalog().instance(group.instance_type)
    return instance is not None and instance.is_gpu


@rule(
    "KUB042", ERROR, "labels of a group are the user's own",
    why="Queues, plugins and controllers find nodes by the labels that begin with ultracluster/, and kubelets set no labels of Kubernetes' own but those of node.kubernetes.io and kubelet.kubernetes.io: with another one they do not start. Labels of AWS say what a node is, and HyperPod takes none without a value.",
    source=_KUBELET, reads="compute orchestrator", where="labels",
)  # fmt: skip
def labels_are_the_users_own(design: Design) -> Iterator[Finding]:
    """Keys that ultracluster, AWS or Kubernetes set, and those that a kubelet refuses."""
    from config.design.kubernetes.nodes.groups import GPU_LABEL

    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Kubernetes):
        return
    for at, group in design.placed_groups:
        for key, value in (group.labels or {}).items():
            if key.startswith(_OURS) or key == GPU_LABEL:
                message = f"nodes of group {group.name} have the label {key} from ultracluster"
                hint = "take it out" if key == GPU_LABEL else f"write another key, such as {_other(key)}"
            elif _is_told(key):
                message = f"something else gives the nodes of group {group.name} the label {key}"
                hint = f"write another key, such as {_other(key)}"
            elif isinstance(orchestrator, Eks) and _is_refused(key):
                message = f"a kubelet does not start with the label {key}, which is Kubernetes' own"
                hint = f"write another key, such as {_other(key)}"
            elif not value and not isinstance(orchestrator, Eks):
                message = f"HyperPod takes no label without a value, and {key} of group {group.name} has none"
                hint = 'write a value, such as "true"'
            else:
                continue
            yield Finding(at=(*at, "labels", key), message=message, hint=hint)


def _other(key: str) -> str:
    return f"team/{key.partition('/')[2]}"


def _is_told(key: str) -> bool:
    return key in _TOLD or _within(key.rpartition("/")[0], _OF_OTHERS)


def _is_refused(key: str) -> bool:
    """As kubelets judge (kubernetes/kubernetes:cmd/kubelet/app/options/options.go)."""
    domain = key.rpartition("/")[0]
    return _within(domain, _OF_KUBERNETES) and not _within(domain, _OF_KUBELETS) and key not in _FACTS


def _within(domain: str, domains: tuple[str, ...]) -> bool:
    return any(domain == one or domain.endswith(f".{one}") for one in domains)


_FACTS = frozenset(
    (
        "kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch",
        "beta.kubernetes.io/os", "beta.kubernetes.io/arch", "beta.kubernetes.io/instance-type",
        "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
    )
)  # fmt: skip
"""Labels that a kubelet may set of its own node (kubernetes/kubernetes:.../well_known_labels.go)."""

_TOLD = frozenset(
    (
        "kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch", "node.kubernetes.io/instance-type",
        "nvidia.com/gpu.clique", "nvidia.com/gpu.deploy.device-plugin",
    )
)  # fmt: skip
"""Labels by which queues, topologies and plugins find nodes, and that each node has from somebody else."""


@rule(
    "KUB043", WARNING, "nodes are repaired by what the node monitoring agent reports",
    why="Without the agent EKS repairs a node only where its kubelet is not ready: nobody hears of faulty GPUs, and jobs hang on them.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html", reads="orchestrator compute",
    where="eks",
)  # fmt: skip
def repair_hears_of_faults(design: Design) -> Iterator[Finding]:
    """`node_repair` without the agent, where there are GPUs."""
    eks = design.profile.orchestrator
    if not isinstance(eks, Eks) or eks.components.node_monitoring or not eks.node_repair.enabled:
        return
    if any(_has_gpus(group) for _, group in design.placed_groups):
        yield Finding(
            at=("orchestrator", "components", "node_monitoring"),
            message="without the node monitoring agent EKS repairs no node for faulty GPUs",
            hint="write `node_monitoring: true`, or `node_repair: {enabled: false}` if nodes are watched otherwise",
        )


@rule(
    "KUB019", ERROR, "a node has room for a pod beside those that run on every node",
    why="The network of pods, credentials, drivers, plugins and exporters have a pod on each node, and those count too: names of services or jobs would wait for ever.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html",
    reads="compute orchestrator storage data network observability", where="eks",
)  # fmt: skip
def nodes_have_room_for_pods(design: Design) -> Iterator[Finding]:
    """`pods_per_node` against the pods that every node has."""
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
            message=f"{orchestrator.pods_per_node} pods on a node, and {most} run on every node of some group already",
            hint=f"write more than {most}, with room for your own; or leave it out",
        )


_ON_EVERY_NODE = frozenset(
    (
        "vpc-cni", "kube-proxy", "eks-pod-identity-agent", "eks-node-monitoring-agent", "aws-fsx-csi-driver",
        "aws-mountpoint-s3-csi-driver", "aws-fsx-openzfs-csi-driver", "node-exporter",
    )
)  # fmt: skip
"""Add-ons and releases with a pod on all nodes."""

_ON_GPU_NODES = frozenset(("eks-node-monitoring-agent", "dcgm-exporter"))
"""Those with one on nodes with GPUs, or with a second one: DCGM's."""

_OF_THE_OPERATOR = 4
"""Pods of the GPU operator on a node: discovery of features and of GPUs, its plugin, its validator."""
