"""HyperPod's add-ons on EKS: versions, what each needs, and what excludes what."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog.files import version_parts
from config.catalog.kubernetes.hyperpod_eks import hyperpod_eks, minor
from config.design.kinds import eks_of
from config.design.model import Design
from config.diagnostics import Path
from config.profile.observability.metrics import ManagedGrafana, ManagedPrometheus
from config.rules.registry import ERROR, NOTE, Finding, rule

_GUIDE = "https://docs.aws.amazon.com/sagemaker/latest/dg"
_UPGRADE = f"{_GUIDE}/sagemaker-hyperpod-eks-operate-console-ui-governance-upgrade.html"
_CHECKPOINTLESS = f"{_GUIDE}/sagemaker-eks-checkpointless.html"
_ELASTIC = f"{_GUIDE}/sagemaker-eks-elastic-training.html"
_OPERATOR = f"{_GUIDE}/sagemaker-eks-operator-install.html"
_SETUP = f"{_GUIDE}/sagemaker-hyperpod-model-deployment-setup.html"
_AT: Path = ("orchestrator",)
_ADDONS = "task_governance training_operator inference_operator observability_addon"


@rule(
    "HPE010", ERROR, "task governance is the only one that admits jobs",
    why="It brings a Kueue of its own and refuses a cluster that has one; a second scheduler would place pods that Kueue counts "
    "(HYPERPOD-33).",
    source=_UPGRADE, reads="orchestrator", where="task_governance",
)  # fmt: skip
def one_admits_jobs(design: Design) -> Iterator[Finding]:
    """task_governance beside scheduler."""
    stated = eks_of(design.profile)
    if stated is not None and stated.task_governance is not None and stated.scheduler != "kueue":
        yield Finding(
            at=(*_AT, "scheduler"),
            message=f"{stated.scheduler} beside task governance, which is Kueue",
            hint="take `scheduler` out, or `task_governance`",
        )


@rule(
    "HPE011", ERROR, "the version of an add-on runs on the cluster's Kubernetes",
    why="EKS refuses an add-on's version that is not made for the cluster's.",
    source=_OPERATOR, reads="orchestrator", where=_ADDONS, ages="the versions of Kubernetes that each add-on runs on",
)  # fmt: skip
def add_ons_run_on_the_version(design: Design) -> Iterator[Finding]:
    """kubernetes_version against each add-on."""
    from config.design.kubernetes.hyperpod_parts import wanted_addons

    stated = eks_of(design.profile)
    for key in wanted_addons(stated) if stated else ():
        known = hyperpod_eks().of_key(key).kubernetes
        if stated and known and stated.kubernetes_version not in known:
            yield Finding(
                at=(*_AT, key),
                message=f"{hyperpod_eks().of_key(key).name} is for Kubernetes {known[0]} to {known[-1]}, the cluster has "
                f"{stated.kubernetes_version}",
                hint=f'write `kubernetes_version: "{known[-1]}"`, or take `{key}` out',
            )


@rule(
    "HPE012", NOTE, "the training operator is tried with the Kueue of task governance",
    why="Its page recommends Kueue 0.12 and the newest task governance, which has another: no source says which pairs were tried.",
    source=_OPERATOR, reads="orchestrator", where="training_operator",
)  # fmt: skip
def operator_and_kueue_are_told_of(design: Design) -> Iterator[Finding]:
    """training_operator beside task_governance."""
    from config.design.kubernetes.hyperpod_parts import version_of_addon

    stated = eks_of(design.profile)
    if stated is None or stated.training_operator is None or stated.task_governance is None:
        return
    version = version_of_addon(stated, "task_governance") or ""
    kueue = hyperpod_eks().of_key("task_governance").kueue.get(minor(version), "another Kueue")
    yield Finding(
        at=(*_AT, "training_operator"),
        message=f"task governance {version} has Kueue {kueue}, the operator's page names 0.12.2 and 0.12.3",
        hint="run a job of each kind that you have before you rely on it",
    )


@rule(
    "HPE013", ERROR, "a way to recover is one that the training operator's version has",
    why="Checkpointless and elastic training came with version 1.2.0.",
    source=_CHECKPOINTLESS, reads="orchestrator", where="training_operator",
)  # fmt: skip
def recovery_is_in_the_version(design: Design) -> Iterator[Finding]:
    """training_operator.recovery against its version."""
    from config.design.kubernetes.hyperpod_parts import version_of_addon

    stated = eks_of(design.profile)
    operator = stated.training_operator if stated else None
    if stated is None or operator is None or operator.recovery == "checkpoint":
        return
    version, since = version_of_addon(stated, "training_operator"), hyperpod_eks().recovery_since
    if version and version_parts(version) < version_parts(since):
        yield Finding(
            at=(*_AT, "training_operator", "recovery"),
            message=f"{operator.recovery} training needs version {since} of the operator, {version} is stated",
            hint="take it out of `addon_versions`, or write `recovery: checkpoint`",
        )


@rule(
    "HPE014", ERROR, "checkpointless training goes without checkpoints in memory",
    why="Both keep the state of a job in the memory of nodes: HyperPod does not combine them.",
    source=_CHECKPOINTLESS, reads="orchestrator", where="tiered_checkpointing",
)  # fmt: skip
def checkpointless_goes_without_tiers(design: Design) -> Iterator[Finding]:
    """training_operator.recovery beside tiered_checkpointing."""
    stated = eks_of(design.profile)
    operator = stated.training_operator if stated else None
    if stated and operator and operator.recovery == "checkpointless" and stated.tiered_checkpointing:
        yield Finding(
            at=(*_AT, "tiered_checkpointing"),
            message="managed tiered checkpointing beside checkpointless training, which excludes it",
            hint="take `tiered_checkpointing` out, or write `recovery: checkpoint`",
        )


@rule(
    "HPE015", NOTE, "elastic training has task governance to give it nodes",
    why="A job that may grow and shrink does so as quotas change, which task governance tells it of.",
    source=_ELASTIC, reads="orchestrator", where="training_operator",
)  # fmt: skip
def elastic_has_governance(design: Design) -> Iterator[Finding]:
    """training_operator.recovery without task_governance."""
    stated = eks_of(design.profile)
    operator = stated.training_operator if stated else None
    if stated and operator and operator.recovery == "elastic" and stated.task_governance is None:
        yield Finding(
            at=(*_AT, "training_operator", "recovery"),
            message="elastic training without task governance: jobs shrink only when nodes are lost",
            hint="add `task_governance` with a team for each that runs such jobs",
        )


@rule(
    "HPE016", ERROR, "the network of pods is of a version that HyperPod takes",
    why="Before version 1.18.3 of the VPC CNI nodes of HyperPod never become ready, and no other network is supported.",
    source=f"{_GUIDE}/sagemaker-hyperpod-eks-prerequisites.html", reads="orchestrator", where="hyperpod-eks",
)  # fmt: skip
def network_is_new_enough(design: Design) -> Iterator[Finding]:
    """`addon_versions.vpc-cni` against the least that HyperPod takes."""
    stated, least = eks_of(design.profile), hyperpod_eks().least_vpc_cni
    version = stated.addon_versions.get("vpc-cni") if stated else None
    if version and version_parts(version) < version_parts(least):
        yield Finding(
            at=(*_AT, "addon_versions", "vpc-cni"),
            message=f"vpc-cni {version}, HyperPod takes {least} and newer ones",
            hint="take it out: a version that fits is pinned",
        )


@rule(
    "HPE017", ERROR, "HyperPod's collectors have workspaces to write to",
    why="The add-on sends metrics to a workspace of Prometheus and makes its dashboards in one of Grafana, which people enter "
    "through IAM Identity Center.",
    source="https://github.com/awslabs/awsome-distributed-ai/tree/main/1.architectures/7.sagemaker-hyperpod-eks",
    reads="orchestrator observability", where="observability_addon",
)  # fmt: skip
def collectors_have_workspaces(design: Design) -> Iterator[Finding]:
    """observability_addon against observability."""
    if (stated := eks_of(design.profile)) is None or stated.observability_addon is None:
        return
    wanted = design.profile.observability
    grafana = wanted.grafana if wanted else None
    managed = wanted is not None and isinstance(wanted.prometheus, ManagedPrometheus)
    missing = [] if managed else ["`prometheus: {kind: managed}`"]
    if not isinstance(grafana, ManagedGrafana) or grafana.authentication != "identity-center":
        missing.append("`grafana: {kind: managed, authentication: identity-center}`")
    if missing:
        yield Finding(
            at=(*_AT, "observability_addon"),
            message="HyperPod's observability add-on without the workspaces that it writes to",
            hint=f"write {' and '.join(missing)} under `observability`, or take it out: ultracluster has collectors of its own",
        )


@rule(
    "HPE018", NOTE, "what the inference operator leaves to the cluster is there",
    why="Without a load balancer controller endpoints are never reached, and without KEDA they never scale (HYPERPOD-32).",
    source=_SETUP, reads="orchestrator", where="inference_operator",
)  # fmt: skip
def inference_parts_are_told_of(design: Design) -> Iterator[Finding]:
    """load_balancer and autoscaling that are somebody else's."""
    stated = eks_of(design.profile)
    operator = stated.inference_operator if stated else None
    parts = (("load_balancer", "the AWS Load Balancer Controller"), ("autoscaling", "KEDA"))
    for key, what in parts if operator else ():
        if not getattr(operator, key):
            yield Finding(
                at=(*_AT, "inference_operator", key),
                message=f"the add-on installs no {what.removeprefix('the ')}, and nothing of ultracluster's does",
                hint=f"install {what} yourself, or write `{key}: true`",
            )
