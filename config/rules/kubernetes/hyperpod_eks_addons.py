"""Rules for HyperPod's EKS add-ons: versions, prerequisites and conflicts."""

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
    "HPE010", ERROR, "task governance is the only scheduler of the cluster",
    why="Task governance installs its own Kueue, and rejects a cluster that already has one. A second scheduler would place pods "
    "for which task governance's Kueue counts quota (HYPERPOD-33).",
    source=_UPGRADE, reads="orchestrator", where="task_governance",
)  # fmt: skip
def one_admits_jobs(design: Design) -> Iterator[Finding]:
    """Report another `scheduler` if `task_governance` is set."""
    hyperpod = eks_of(design.profile)
    if hyperpod is not None and hyperpod.task_governance is not None and hyperpod.scheduler != "kueue":
        yield Finding(
            at=(*_AT, "scheduler"),
            message=f"`scheduler: {hyperpod.scheduler}` is not possible with task governance, which installs Kueue as the "
            "scheduler",
            hint="remove `scheduler` or `task_governance`",
        )


@rule(
    "HPE011", ERROR, "HyperPod's add-ons support the cluster's Kubernetes version",
    why="EKS rejects an add-on version that does not support the cluster's Kubernetes version.",
    source=_OPERATOR, reads="orchestrator", where=_ADDONS, ages="the Kubernetes versions that each add-on supports",
)  # fmt: skip
def add_ons_run_on_the_version(design: Design) -> Iterator[Finding]:
    """Compare `kubernetes_version` with each add-on."""
    from config.design.kubernetes.hyperpod_parts import enabled_addons

    hyperpod = eks_of(design.profile)
    for key in enabled_addons(hyperpod) if hyperpod else ():
        known = hyperpod_eks().of_key(key).kubernetes
        if hyperpod and known and hyperpod.kubernetes_version not in known:
            yield Finding(
                at=(*_AT, key),
                message=f"{hyperpod_eks().of_key(key).name} supports Kubernetes {known[0]} to {known[-1]}, but the cluster has "
                f"{hyperpod.kubernetes_version}",
                hint=f'set orchestrator.kubernetes_version to "{known[-1]}", or remove `{key}`',
            )


@rule(
    "HPE012", NOTE, "the training operator is tested with the Kueue version of task governance",
    why="The operator's documentation recommends Kueue 0.12 and also the newest task governance. But the newest task governance "
    "includes another Kueue version, and AWS does not publish tested combinations.",
    source=_OPERATOR, reads="orchestrator", where="training_operator",
)  # fmt: skip
def operator_and_kueue_are_tested(design: Design) -> Iterator[Finding]:
    """Report `training_operator` with `task_governance`."""
    from config.design.kubernetes.hyperpod_parts import version_of_addon

    hyperpod = eks_of(design.profile)
    if hyperpod is None or hyperpod.training_operator is None or hyperpod.task_governance is None:
        return
    version = version_of_addon(hyperpod, "task_governance") or ""
    kueue = hyperpod_eks().of_key("task_governance").kueue.get(minor(version), "another Kueue")
    yield Finding(
        at=(*_AT, "training_operator"),
        message=f"task governance {version} includes Kueue {kueue}, but the training operator's documentation names Kueue 0.12.2 "
        "and 0.12.3",
        hint="before production, run one test job of each job type",
    )


@rule(
    "HPE013", ERROR, "the version of the training operator supports the recovery mode",
    why="Version 1.2.0 of the operator introduced checkpointless and elastic training.",
    source=_CHECKPOINTLESS, reads="orchestrator", where="training_operator",
)  # fmt: skip
def recovery_is_in_the_version(design: Design) -> Iterator[Finding]:
    """Compare `training_operator.recovery` with the operator's version."""
    from config.design.kubernetes.hyperpod_parts import version_of_addon

    hyperpod = eks_of(design.profile)
    operator = hyperpod.training_operator if hyperpod else None
    if hyperpod is None or operator is None or operator.recovery == "checkpoint":
        return
    version, since = version_of_addon(hyperpod, "training_operator"), hyperpod_eks().recovery_since
    if version and version_parts(version) < version_parts(since):
        yield Finding(
            at=(*_AT, "training_operator", "recovery"),
            message=f"{operator.recovery} training requires version {since} or newer of the training operator, but "
            f"`addon_versions` sets {version}",
            hint="remove the training operator from `addon_versions`, or set `recovery: checkpoint`",
        )


@rule(
    "HPE014", ERROR, "checkpointless training is used without tiered checkpointing",
    why="Both features store a job's state in the memory of the nodes, and HyperPod does not support them together.",
    source=_CHECKPOINTLESS, reads="orchestrator", where="tiered_checkpointing",
)  # fmt: skip
def checkpointless_excludes_tiers(design: Design) -> Iterator[Finding]:
    """Check `training_operator.recovery` if `tiered_checkpointing` is set."""
    hyperpod = eks_of(design.profile)
    operator = hyperpod.training_operator if hyperpod else None
    if hyperpod and operator and operator.recovery == "checkpointless" and hyperpod.tiered_checkpointing:
        yield Finding(
            at=(*_AT, "tiered_checkpointing"),
            message="checkpointless training does not support managed tiered checkpointing",
            hint="remove `tiered_checkpointing`, or set `recovery: checkpoint`",
        )


@rule(
    "HPE015", NOTE, "elastic training is used with task governance",
    why="An elastic job grows and shrinks when its team's quota changes. Task governance notifies the job of these changes.",
    source=_ELASTIC, reads="orchestrator", where="training_operator",
)  # fmt: skip
def elastic_has_governance(design: Design) -> Iterator[Finding]:
    """Check `training_operator.recovery` if `task_governance` is not set."""
    hyperpod = eks_of(design.profile)
    operator = hyperpod.training_operator if hyperpod else None
    if hyperpod and operator and operator.recovery == "elastic" and hyperpod.task_governance is None:
        yield Finding(
            at=(*_AT, "training_operator", "recovery"),
            message="without task governance, elastic jobs shrink only when nodes are lost",
            hint="add `task_governance` with a team for each group of users that runs elastic jobs",
        )


@rule(
    "HPE016", ERROR, "HyperPod supports the version of the VPC CNI",
    why="HyperPod nodes do not become ready if the VPC CNI is older than 1.18.3. HyperPod supports only the VPC CNI as pod "
    "network.",
    source=f"{_GUIDE}/sagemaker-hyperpod-eks-prerequisites.html", reads="orchestrator", where="hyperpod-eks",
)  # fmt: skip
def network_is_new_enough(design: Design) -> Iterator[Finding]:
    """Compare `addon_versions.vpc-cni` with the first version that HyperPod supports."""
    hyperpod, least = eks_of(design.profile), hyperpod_eks().least_vpc_cni
    version = hyperpod.addon_versions.get("vpc-cni") if hyperpod else None
    if version and version_parts(version) < version_parts(least):
        yield Finding(
            at=(*_AT, "addon_versions", "vpc-cni"),
            message=f"vpc-cni is {version}, but HyperPod requires {least} or newer",
            hint="remove vpc-cni from `addon_versions` to use the pinned version",
        )


@rule(
    "HPE017", ERROR, "HyperPod's observability add-on has managed workspaces",
    why="The add-on writes metrics to an Amazon Managed Service for Prometheus workspace. It creates "
    "dashboards in an Amazon Managed Grafana workspace that users open through IAM Identity Center.",
    source="https://github.com/awslabs/awsome-distributed-ai/tree/main/1.architectures/7.sagemaker-hyperpod-eks",
    reads="orchestrator observability", where="observability_addon",
)  # fmt: skip
def collectors_have_workspaces(design: Design) -> Iterator[Finding]:
    """Check `observability` if `observability_addon` is set."""
    if (hyperpod := eks_of(design.profile)) is None or hyperpod.observability_addon is None:
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
            message="HyperPod's observability add-on needs managed workspaces for metrics and dashboards, which the profile does "
            "not create",
            hint=f"set {' and '.join(missing)} under `observability`, or remove `observability_addon` and use ultracluster's own "
            "collectors",
        )


@rule(
    "HPE018", NOTE, "the components that the inference operator does not install are available",
    why="Without a load balancer controller, clients cannot reach endpoints. Without KEDA, endpoints do not scale (HYPERPOD-32).",
    source=_SETUP, reads="orchestrator", where="inference_operator",
)  # fmt: skip
def inference_components_are_available(design: Design) -> Iterator[Finding]:
    """Check `load_balancer` and `autoscaling` of the inference operator."""
    hyperpod = eks_of(design.profile)
    operator = hyperpod.inference_operator if hyperpod else None
    parts = (("load_balancer", "the AWS Load Balancer Controller"), ("autoscaling", "KEDA"))
    for key, what in parts if operator else ():
        if not getattr(operator, key):
            yield Finding(
                at=(*_AT, "inference_operator", key),
                message=f"neither the add-on nor ultracluster installs {what}",
                hint=f"install {what} yourself, or set `{key}` to true",
            )
