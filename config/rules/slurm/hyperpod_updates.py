"""How HyperPod brings new images onto the nodes of a group."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.cron import never_comes
from config.profile.slurm.hyperpod import AnyBatch, Deployment, NodeBatch
from config.rules.registry import ERROR, WARNING, Finding, rule

_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference"
_EKS = (
    "https://docs.aws.amazon.com/sagemaker/latest/dg/"
    "sagemaker-hyperpod-eks-operate-cli-command-update-cluster-software.html"
)
_UPDATES = "scheduled_update auto_patch"


def _deployments(design: Design) -> Iterator[tuple[Path, Group, Deployment]]:
    for at, group in design.placed_groups:
        for key, update in (("scheduled_update", group.scheduled_update), ("auto_patch", group.auto_patch)):
            if update is not None and update.deployment is not None:
                yield (*at, key, "deployment"), group, update.deployment


@rule(
    "HYP010", ERROR, "a strategy for patches is one that CloudFormation and Slurm have",
    why="DrainFirst evicts pods: HyperPod's API takes it for EKS alone, and AWS::SageMaker::Cluster not at all.",
    source=f"{_API}/API_ClusterAutoPatchConfig.html", reads="compute", where="auto_patch",
)  # fmt: skip
def strategy_can_be_set(design: Design) -> Iterator[Finding]:
    """auto_patch.strategy."""
    for at, group in design.placed_groups:
        if group.auto_patch is not None and group.auto_patch.strategy == "drain-first":
            yield Finding(
                at=(*at, "auto_patch", "strategy"),
                message="drain-first is for EKS alone, and CloudFormation cannot set it",
                hint="write `strategy: when-idle`",
            )


@rule(
    "HYP011", ERROR, "an update goes over the nodes in batches that the group has",
    why="HyperPod refuses a batch larger than the group, a way back without a way forth, and an alarm named twice.",
    source=f"{_API}/API_RollingDeploymentPolicy.html", reads="compute", where=_UPDATES,
)  # fmt: skip
def batches_fit_the_group(design: Design) -> Iterator[Finding]:
    """batch, rollback_batch and alarms of a deployment."""
    for at, group, deployment in _deployments(design):
        batches = (("batch", deployment.batch), ("rollback_batch", deployment.rollback_batch))
        for key, batch in batches:
            if _too_large(batch, group):
                yield Finding(
                    at=(*at, key, "value"),
                    message=f"a batch of {batch.value if batch else 0} nodes, group {group.name} has {group.count}",
                    hint=f"write {group.count} or less, or `kind: per-cent`",
                )
        if deployment.rollback_batch is not None and deployment.batch is None:
            yield Finding(
                at=(*at, "rollback_batch"),
                message="how many nodes go back is stated, and not how many go forth",
                hint="add `batch`",
            )
        for i, alarm in enumerate(deployment.alarms):
            if alarm in deployment.alarms[:i]:
                yield Finding(at=(*at, "alarms", i), message=f"{alarm} is listed twice", hint="take one out")


def _too_large(batch: AnyBatch | None, group: Group) -> bool:
    return isinstance(batch, NodeBatch) and batch.value > group.count > 0


@rule(
    "HYP012", WARNING, "updates by the clock in batches are asked of a control plane that documents them",
    why="AWS describes rolling updates for EKS alone. What runs on a node when its update begins is lost, in batches or not.",
    source=_EKS, reads="compute orchestrator", where="scheduled_update",
)  # fmt: skip
def batches_are_documented(design: Design) -> Iterator[Finding]:
    """A batch of a scheduled update under Slurm."""
    if not isinstance(design.profile.orchestrator, HyperPodSlurm):
        return
    for at, group in design.placed_groups:
        update = group.scheduled_update
        if update and update.deployment and update.deployment.batch:
            yield Finding(
                at=(*at, "scheduled_update", "deployment", "batch"),
                message=f"no source says that HyperPod updates group {group.name} in batches under Slurm",
                hint="have no jobs run at the time of `schedule`, or use `auto_patch: {strategy: when-idle}`",
            )


@rule(
    "HYP013", ERROR, "the time of an update comes",
    why="HyperPod takes a schedule whose day is in none of its months, or whose year is over: no node is ever updated.",
    source="https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html",
    reads="compute", where="scheduled_update",
)  # fmt: skip
def schedules_come(design: Design) -> Iterator[Finding]:
    """The days of `schedule` against its months and its year."""
    for at, group in design.placed_groups:
        if group.scheduled_update is not None:
            schedule = group.scheduled_update.schedule
            never = never_comes(schedule, catalog().generated.year)
            if never:
                yield Finding(
                    at=(*at, "scheduled_update", "schedule"),
                    message=f"{schedule} never comes: {never}",
                    hint="write a day that comes, such as cron(0 3 ? * SUN *) for Sundays at three",
                )
