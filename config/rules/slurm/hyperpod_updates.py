"""Rules for updates of HyperPod node images: strategy, batches and schedule."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.cron import no_match
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
    "HYP010", ERROR, "CloudFormation and Slurm support the patch strategy",
    why="DrainFirst evicts pods. The HyperPod API accepts it only with EKS, and `AWS::SageMaker::Cluster` does not accept it.",
    source=f"{_API}/API_ClusterAutoPatchConfig.html", reads="compute", where="auto_patch",
)  # fmt: skip
def strategy_can_be_set(design: Design) -> Iterator[Finding]:
    """Check `auto_patch.strategy`."""
    for at, group in design.placed_groups:
        if group.auto_patch is not None and group.auto_patch.strategy == "drain-first":
            yield Finding(
                at=(*at, "auto_patch", "strategy"),
                message="`drain-first` is not possible: HyperPod supports it only with EKS, and CloudFormation does not support "
                "it at all",
                hint="set `strategy: when-idle`",
            )


@rule(
    "HYP011", ERROR, "update batches are not larger than the group",
    why="HyperPod rejects a batch that is larger than the group, a rollback batch without a batch, and a duplicate alarm.",
    source=f"{_API}/API_RollingDeploymentPolicy.html", reads="compute", where=_UPDATES,
)  # fmt: skip
def batches_fit_the_group(design: Design) -> Iterator[Finding]:
    """Check `batch`, `rollback_batch` and `alarms` of each deployment."""
    for at, group, deployment in _deployments(design):
        batches = (("batch", deployment.batch), ("rollback_batch", deployment.rollback_batch))
        for key, batch in batches:
            if _too_large(batch, group):
                yield Finding(
                    at=(*at, key, "value"),
                    message=f"the batch has {batch.value if batch else 0} nodes, but group {group.name} has only {group.count}",
                    hint=f"set `value` to {group.count} or less, or use `kind: per-cent`",
                )
        if deployment.rollback_batch is not None and deployment.batch is None:
            yield Finding(
                at=(*at, "rollback_batch"),
                message="`rollback_batch` requires `batch`, which is not set",
                hint="add `batch`",
            )
        for i, alarm in enumerate(deployment.alarms):
            if alarm in deployment.alarms[:i]:
                yield Finding(
                    at=(*at, "alarms", i),
                    message=f"the alarm {alarm} is listed twice",
                    hint="remove one entry",
                )


def _too_large(batch: AnyBatch | None, group: Group) -> bool:
    return isinstance(batch, NodeBatch) and batch.value > group.count > 0


@rule(
    "HYP012", WARNING, "scheduled updates in batches are used only with control planes for which AWS documents them",
    why="AWS documents rolling updates for EKS only. An update terminates the processes on a node, with or without batches.",
    source=_EKS, reads="compute orchestrator", where="scheduled_update",
)  # fmt: skip
def batches_are_documented(design: Design) -> Iterator[Finding]:
    """Report `batch` of a scheduled update with Slurm."""
    if not isinstance(design.profile.orchestrator, HyperPodSlurm):
        return
    for at, group in design.placed_groups:
        update = group.scheduled_update
        if update and update.deployment and update.deployment.batch:
            yield Finding(
                at=(*at, "scheduled_update", "deployment", "batch"),
                message=f"group {group.name} sets `batch`, but AWS documents updates in batches only for EKS, not for Slurm",
                hint="run no jobs at the time of `schedule`, or use `auto_patch: {strategy: when-idle}`",
            )


@rule(
    "HYP013", ERROR, "the schedule of an update matches a future date",
    why="HyperPod accepts a schedule with a date that does not exist or with a past year. The nodes are then never updated.",
    source="https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html",
    reads="compute", where="scheduled_update",
)  # fmt: skip
def schedules_match_a_date(design: Design) -> Iterator[Finding]:
    """Check the days of `schedule` against its months and its year."""
    for at, group in design.placed_groups:
        if group.scheduled_update is not None:
            schedule = group.scheduled_update.schedule
            never = no_match(schedule, catalog().generated.year)
            if never:
                yield Finding(
                    at=(*at, "scheduled_update", "schedule"),
                    message=f"{schedule} never matches a date: {never}",
                    hint="write a schedule that matches a future date, for example cron(0 3 ? * SUN *) for Sundays at 03:00",
                )
