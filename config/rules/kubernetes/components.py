"""Components of a Kubernetes cluster: which versions they run under, and that each thing has one owner."""

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
    "KUB020", ERROR, "the devices of a group are stated where it has GPUs",
    why="A name that no group has would be ignored, and so would the GPUs of machines that have none.",
    source=_DEVICES, reads="compute orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def devices_are_those_of_groups(design: Design) -> Iterator[Finding]:
    """`group_devices` against the groups."""
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
            message=f"the machines of {name} have no GPUs" if known else f"there is no group {name}",
            hint=f"name {either(with_gpus)}" if with_gpus and not known else "take it out",
        )


@rule(
    "KUB021", ERROR, "components run under the profile's Kubernetes version",
    why="EKS and the charts refuse older versions, and the API of claims (resource.k8s.io) is not there before.",
    source=_DEVICES, reads="compute orchestrator storage", where="eks hyperpod-eks",
    ages="the Kubernetes versions that components run under",
)  # fmt: skip
def version_runs_the_components(design: Design) -> Iterator[Finding]:
    """The Kubernetes version against that of each component."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None:
        return
    facts, version = kubernetes_components(), orchestrator.kubernetes_version
    if version not in catalog().control_planes[orchestrator.kind].versions:
        return  # ORC029 says so, and every version that is offered is newer
    for component, what, instead in _components(design, orchestrator):
        first = facts.from_kubernetes[component]
        if not facts.runs_under(component, version):
            yield Finding(
                at=("orchestrator", "kubernetes_version"),
                message=f"{what} needs Kubernetes {first}, the profile has {version}",
                hint=f'write `kubernetes_version: "{first}"` or newer, or {instead}',
            )


def _components(design: Design, orchestrator: Eks | HyperPodEks) -> Iterator[tuple[str, str, str]]:
    """What the profile asks for that not every version has: its key, its name, and what to write instead."""
    stated = orchestrator.components
    dra = [group for group in design.groups if by_dra(orchestrator, group)]
    if dra and not all(needs_dra(group) for group in dra):
        yield "dra", "GPUs by claims (DRA)", "`devices: plugins`"
    if "trainer" in stated.training:
        yield "trainer", "Kubeflow Trainer", "`training` without trainer"
    if stated.metrics_server:
        yield "metrics-server", "the metrics server", "`metrics_server: false`"
    if design.mountpoints:
        yield "aws-mountpoint-s3-csi-driver", "the driver of `mountpoints`", "`mountpoints: []`"


@rule(
    "KUB022", ERROR, "UltraServers hand out their GPUs by claims",
    why="EKS has p6e-gb200 by dynamic resource allocation alone: NVLink between nodes is a compute domain, which the "
    "device plugin knows nothing of.",
    source=_ULTRASERVERS, reads="compute orchestrator", where="eks",
    ages="which machines need dynamic resource allocation",
)  # fmt: skip
def ultraservers_take_claims(design: Design) -> Iterator[Finding]:
    """`devices: plugins` over machines of UltraServers."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Eks):
        return
    for group in design.groups:
        if needs_dra(group) and not by_dra(orchestrator, group):
            own = group.name in orchestrator.components.group_devices
            yield Finding(
                at=(*_AT, "group_devices", group.name) if own else (*_AT, "devices"),
                message=f"{group.instance_type.name} of group {group.name} by device plugins, EKS has it by claims alone",
                hint="write `dra`"
                if own
                else f"write `group_devices: {{{group.name}: dra}}`, or take `devices` out",
            )


@rule(
    "KUB023", ERROR, "what HyperPod brings for its nodes is left to it",
    why="HyperPod watches over its nodes with an agent of its own, and AWS describes device plugins alone for them: two "
    "agents would repair one node, and two owners hand out one GPU.",
    source=_HYPERPOD, reads="compute orchestrator", where="hyperpod-eks",
    ages="what HyperPod's nodes take",
)  # fmt: skip
def hyperpod_has_its_own(design: Design) -> Iterator[Finding]:
    """Claims, and EKS's agent, under hyperpod-eks."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, HyperPodEks):
        return
    stated = orchestrator.components
    keys: list[Path] = [(*_AT, "devices")] if stated.devices == "dra" else []
    keys += [(*_AT, "group_devices", name) for name, how in stated.group_devices.items() if how == "dra"]
    for at in keys:
        yield Finding(
            at=at,
            message="GPUs by claims (dra) are described for nodes of EKS, not for HyperPod's",
            hint="write `plugins`, or use eks",
        )
    if stated.node_monitoring and "node_monitoring" in stated.model_fields_set:
        yield Finding(
            at=(*_AT, "node_monitoring"),
            message="HyperPod's health monitoring agent watches over its nodes already",
            hint="take `node_monitoring` out",
        )


@rule(
    "KUB024", WARNING, "KAI runs beside the GPU operator that it builds on",
    why="KAI's own guide asks for the GPU operator: without its labels it does not see the memory of GPUs, and jobs that "
    "share one are not placed.",
    source="https://github.com/kai-scheduler/KAI-Scheduler#prerequisites",
    reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def kai_has_the_gpu_operator(design: Design) -> Iterator[Finding]:
    """`gpu_operator: false` beside `scheduler: kai`."""
    orchestrator = kubernetes_of(design)
    if orchestrator and orchestrator.scheduler == "kai" and not has_gpu_operator(orchestrator):
        yield Finding(
            at=(*_AT, "gpu_operator"),
            message="the scheduler kai without the GPU operator, which it asks for",
            hint="write `gpu_operator: true`, or take the key out",
        )


@rule(
    "KUB025", ERROR, "a training framework is listed once",
    why="A second release of it would fight the first for the same custom resources.",
    source="https://github.com/kubeflow/trainer/tree/master/charts/kubeflow-trainer",
    reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def frameworks_are_listed_once(design: Design) -> Iterator[Finding]:
    """Words of `training` that stand twice."""
    orchestrator = kubernetes_of(design)
    stated = orchestrator.components.training if orchestrator else ()
    for i, name in enumerate(stated):
        if name in stated[:i]:
            yield Finding(at=(*_AT, "training", i), message=f"{name} is listed twice", hint="take one out")


@rule(
    "KUB026", ERROR, "a framework without a published chart comes from charts of the user's own",
    why="The MPI operator's project publishes a manifest and no chart: Helm has nothing to fetch until the manifest is "
    "wrapped into one, which filling a folder or a registry does.",
    source="https://github.com/kubeflow/mpi-operator#installation",
    reads="orchestrator", where="public-charts",
)  # fmt: skip
def charts_are_published(design: Design) -> Iterator[Finding]:
    """Frameworks that the lock file has as plain manifests, where charts come from their projects."""
    from config.design.kubernetes.training import frameworks

    orchestrator = kubernetes_of(design)
    if orchestrator is None or orchestrator.charts.kind != "public":
        return
    for name in frameworks(orchestrator):
        if charts()[name].kind == "manifest":
            yield Finding(
                at=(*_AT, "training", orchestrator.components.training.index(name)),
                message=f"{name} has no chart that its project publishes",
                hint="write `charts: {kind: vendored, folder: charts}` and fill the folder with "
                "`python -m scripts.tools.charts vendor`",
            )


@rule(
    "KUB027", ERROR, "an image with a GPU plugin of its own leaves no GPUs to another owner",
    why="Bottlerocket runs NVIDIA's device plugin by itself: a DRA driver or the GPU operator beside it would hand out "
    "the same GPUs once more, and jobs would share what each believes its own.",
    source=_DEVICES, reads="compute orchestrator", where="eks",
)  # fmt: skip
def images_own_their_gpus(design: Design) -> Iterator[Finding]:
    """Bottlerocket beside `dra` and the GPU operator."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Eks) or orchestrator.node_image.family != "bottlerocket":
        return
    # machines without an image of the family are refused for that alone (EKS031)
    claimed = [
        group.name
        for group in design.groups
        if by_dra(orchestrator, group)
        and any(kind.upper().startswith("BOTTLEROCKET") for kind in group.instance_type.eks_ami_types)
    ]
    gpus = any(group.instance_type.is_gpu for group in design.groups)
    operator = gpus and has_gpu_operator(orchestrator)
    if claimed or operator:
        owner = f"claims for {', '.join(claimed)}" if claimed else "the GPU operator"
        yield Finding(
            at=("orchestrator", "node_image", "family"),
            message=f"Bottlerocket hands out its GPUs itself, and {owner} would once more",
            hint="write `node_image: {family: al2023}`",
        )
