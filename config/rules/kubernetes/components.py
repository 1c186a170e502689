"""Rules for cluster components: required Kubernetes versions, and one owner for each device."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.kubernetes.charts import charts
from config.catalog.kubernetes.components import kubernetes_components
from config.design.kubernetes.devices import by_dra, has_gpu_operator, needs_dra
from config.design.model import Design
from config.diagnostics import Path
from config.profile.orchestrator import Eks, HyperPodEks
from config.rules.kubernetes.shares import kubernetes_of
from config.rules.parts import either
from config.rules.registry import ERROR, WARNING, Finding, rule

_DEVICES = "https://docs.aws.amazon.com/eks/latest/userguide/device-management-nvidia-dra-device-plugin.html"
_ULTRASERVERS = "https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html"
_HYPERPOD = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-prerequisites.html"
_AT = ("orchestrator", "components")


@rule(
    "KUB020", ERROR, "`group_devices` names groups that have GPUs",
    why="An entry for a group that does not exist, or that has no GPUs, has no effect.",
    source=_DEVICES, reads="compute orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def devices_are_those_of_groups(design: Design) -> Iterator[Finding]:
    """Compare the keys of `group_devices` with the groups."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None:
        return
    gpu = {plan.name: plan.instance_type.is_gpu for plan in design.groups}
    with_gpus = sorted(name for name, there in gpu.items() if there)
    for name in orchestrator.components.group_devices:
        if gpu.get(name):
            continue
        known = name in {group.name for _, group in design.placed_groups}
        yield Finding(
            at=(*_AT, "group_devices", name),
            message=f"the instances of group {name} have no GPUs"
            if known
            else f"the profile has no group `{name}`",
            hint=f"rename the entry to {either(with_gpus)}"
            if with_gpus and not known
            else f"remove `{name}` here",
        )


@rule(
    "KUB021", ERROR, "the cluster's Kubernetes version supports its components",
    why="EKS and the charts reject older versions. The API for resource claims (resource.k8s.io) does not exist in older versions.",
    source=_DEVICES, reads="compute orchestrator storage", where="eks hyperpod-eks",
    ages="the Kubernetes versions that support each component",
)  # fmt: skip
def version_runs_the_components(design: Design) -> Iterator[Finding]:
    """Compare `kubernetes_version` with the first version that supports each component."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None:
        return
    facts, version = kubernetes_components(), orchestrator.kubernetes_version
    if version not in catalog().control_planes[orchestrator.kind].versions:
        return  # ORC029 reports the version
    for component, what, instead in _components(design, orchestrator):
        first = facts.from_kubernetes[component]
        if not facts.runs_under(component, version):
            yield Finding(
                at=("orchestrator", "kubernetes_version"),
                message=f"{what} needs Kubernetes {first} or newer, but the cluster has {version}",
                hint=f'set orchestrator.kubernetes_version to "{first}" or newer, or {instead}',
            )


def _components(design: Design, orchestrator: Eks | HyperPodEks) -> Iterator[tuple[str, str, str]]:
    """Yield each component that needs a certain Kubernetes version: its key, its name and an alternative."""
    components = orchestrator.components
    dra = [group for group in design.groups if by_dra(orchestrator, group)]
    if dra and not all(needs_dra(group) for group in dra):
        yield "dra", "GPU allocation by resource claims (DRA)", "set `devices: plugins`"
    if "trainer" in components.training:
        yield "trainer", "Kubeflow Trainer", "remove `trainer` from `training`"
    if components.metrics_server:
        yield "metrics-server", "the metrics server", "set `metrics_server: false`"
    if design.mountpoints:
        yield "aws-mountpoint-s3-csi-driver", "the CSI driver for `mountpoints`", "set `mountpoints: []`"


@rule(
    "KUB022", ERROR, "UltraServer groups allocate GPUs by resource claims",
    why="EKS supports p6e-gb200 only with dynamic resource allocation (DRA). NVLink between nodes needs a ComputeDomain, which "
    "the DRA driver supports and the device plugin does not.",
    source=_ULTRASERVERS, reads="compute orchestrator", where="eks",
    ages="the instance types that need dynamic resource allocation",
)  # fmt: skip
def ultraservers_take_claims(design: Design) -> Iterator[Finding]:
    """Report `devices: plugins` with UltraServer groups."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Eks):
        return
    for group in design.groups:
        if needs_dra(group) and not by_dra(orchestrator, group):
            own = group.name in orchestrator.components.group_devices
            yield Finding(
                at=(*_AT, "group_devices", group.name) if own else (*_AT, "devices"),
                message=f"group {group.name} uses device plugins, but EKS supports {group.instance_type.name} only with resource "
                "claims (DRA)",
                hint=f"set `group_devices: {{{group.name}: dra}}`"
                if own
                else f"set `group_devices: {{{group.name}: dra}}`, or remove `devices`",
            )


@rule(
    "KUB023", ERROR, "HyperPod nodes use device plugins and HyperPod's own health agent",
    why="HyperPod runs its own health monitoring agent on its nodes. EKS's node monitoring agent would repair the same nodes a "
    "second time. AWS documents only device plugins for HyperPod nodes. If the DRA driver also allocates GPUs, two jobs can get "
    "the same GPU.",
    source=_HYPERPOD, reads="compute orchestrator", where="hyperpod-eks",
    ages="the device and monitoring components that HyperPod nodes support",
)  # fmt: skip
def hyperpod_uses_its_own_components(design: Design) -> Iterator[Finding]:
    """Report resource claims and EKS's node monitoring agent on HyperPod."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, HyperPodEks):
        return
    components = orchestrator.components
    keys: list[Path] = [(*_AT, "devices")] if components.devices == "dra" else []
    keys += [(*_AT, "group_devices", name) for name, how in components.group_devices.items() if how == "dra"]
    for at in keys:
        yield Finding(
            at=at,
            message="HyperPod nodes do not support GPU allocation by resource claims (`dra`); AWS documents these claims "
            "only for EKS nodes",
            hint=f"set {'.'.join(map(str, at))} to `plugins`, or set `orchestrator.kind` to `eks`",
        )
    if components.node_monitoring and "node_monitoring" in components.model_fields_set:
        yield Finding(
            at=(*_AT, "node_monitoring"),
            message="`node_monitoring` adds EKS's agent, but HyperPod's health monitoring agent already monitors these nodes",
            hint="remove `node_monitoring`",
        )


@rule(
    "KUB024", WARNING, "the KAI scheduler runs with the GPU operator",
    why="KAI's installation guide requires the GPU operator. Without the operator's node labels, KAI does "
    "not know the memory of a GPU, and does not place jobs that share a GPU.",
    source="https://github.com/kai-scheduler/KAI-Scheduler#prerequisites",
    reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def kai_has_the_gpu_operator(design: Design) -> Iterator[Finding]:
    """Report `gpu_operator: false` with `scheduler: kai`."""
    orchestrator = kubernetes_of(design)
    if orchestrator and orchestrator.scheduler == "kai" and not has_gpu_operator(orchestrator):
        yield Finding(
            at=(*_AT, "gpu_operator"),
            message="`scheduler: kai` requires the GPU operator, but `gpu_operator` is false",
            hint="set `gpu_operator` to true, or remove `gpu_operator`",
        )


@rule(
    "KUB025", ERROR, "a training framework is listed once",
    why="Two Helm releases of one framework would both manage the same custom resources.",
    source="https://github.com/kubeflow/trainer/tree/master/charts/kubeflow-trainer",
    reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def frameworks_are_listed_once(design: Design) -> Iterator[Finding]:
    """Report duplicate values in `training`."""
    orchestrator = kubernetes_of(design)
    training = orchestrator.components.training if orchestrator else ()
    for i, name in enumerate(training):
        if name in training[:i]:
            yield Finding(
                at=(*_AT, "training", i),
                message=f"the operator {name} is listed twice",
                hint="remove one entry",
            )


@rule(
    "KUB026", ERROR, "a framework without a published chart is installed from a local folder or a private registry",
    why="The MPI Operator project publishes a manifest and no Helm chart. `scripts.tools.charts` creates a "
    "chart from the manifest when it fills a folder or a registry.",
    source="https://github.com/kubeflow/mpi-operator#installation",
    reads="orchestrator", where="public-charts",
)  # fmt: skip
def charts_are_published(design: Design) -> Iterator[Finding]:
    """Report frameworks without a published chart if `charts` is public."""
    from config.design.kubernetes.training import frameworks

    orchestrator = kubernetes_of(design)
    if orchestrator is None or orchestrator.charts.kind != "public":
        return
    for name in frameworks(orchestrator):
        if charts()[name].kind == "manifest":
            yield Finding(
                at=(*_AT, "training", orchestrator.components.training.index(name)),
                message=f"the project {name} does not publish a Helm chart",
                hint="set orchestrator.charts to `{kind: vendored, folder: charts}`, and fill the folder "
                "with `python -m scripts.tools.charts vendor`",
            )


@rule(
    "KUB027", ERROR, "Bottlerocket nodes do not use a DRA driver or the GPU operator",
    why="Bottlerocket runs NVIDIA's device plugin itself. A DRA driver or the GPU operator would allocate "
    "the same GPUs a second time, and two jobs could run on one GPU.",
    source=_DEVICES, reads="compute orchestrator", where="eks",
)  # fmt: skip
def images_own_their_gpus(design: Design) -> Iterator[Finding]:
    """Report Bottlerocket with `dra` or the GPU operator."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Eks) or orchestrator.node_image.family != "bottlerocket":
        return
    # EKS031 reports instance types without an image of the family
    claimed = [
        group.name
        for group in design.groups
        if by_dra(orchestrator, group)
        and any(kind.upper().startswith("BOTTLEROCKET") for kind in group.instance_type.eks_ami_types)
    ]
    gpus = any(group.instance_type.is_gpu for group in design.groups)
    operator = gpus and has_gpu_operator(orchestrator)
    if claimed or operator:
        owner = f"resource claims for group {', '.join(claimed)}" if claimed else "the GPU operator"
        yield Finding(
            at=("orchestrator", "node_image", "family"),
            message=f"Bottlerocket already allocates the GPUs of its nodes; {owner} would allocate the same GPUs a second time",
            hint="set orchestrator.node_image.family to al2023",
        )
