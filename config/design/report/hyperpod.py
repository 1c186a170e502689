"""What a plan tells of a HyperPod cluster, beside its groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from config.design.capacity.groups import GroupPlan
from config.design.slurm.accounting import AccountingPlan
from config.design.slurm.hyperpod import HyperPodSlurmPlan
from config.design.slurm.without_scripts import left_undone
from config.profile.model import Profile
from config.profile.slurm.hyperpod import Deployment

if TYPE_CHECKING:
    from config.design.kubernetes.hyperpod import HyperPodEksPlan

GIVEN_UP_AFTER_HOURS = 3
"""A group without its least count goes back to what it was after so long
(https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterInstanceGroupSpecification.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodReport:
    """The cluster in words; `accounting` is None where the controller keeps it.

    `undone` is what ultracluster's scripts would have done, and what figures of speed and repair count on.
    """

    cluster_name: str
    provisioning: str
    scripts: str
    undone: tuple[str, ...]
    accounting: str | None


def hyperpod_report(plan: HyperPodSlurmPlan | HyperPodEksPlan, profile: Profile) -> HyperPodReport:
    """The words for one cluster."""
    accounting = plan.accounting if isinstance(plan, HyperPodSlurmPlan) else None
    return HyperPodReport(
        cluster_name=plan.cluster_name,
        provisioning=_provisioning(plan),
        scripts=_scripts(plan),
        undone=left_undone(profile),
        accounting=_accounting(accounting) if accounting else None,
    )


def _on_kubernetes(plan: HyperPodEksPlan) -> str:
    told = (
        "continuous: the cluster may be complete before nodes are there" if plan.continuous else "all at once"
    )
    return f"{told}; Karpenter scales {', '.join(plan.autoscaled)}" if plan.autoscaled else told


def _provisioning(plan: HyperPodSlurmPlan | HyperPodEksPlan) -> str:
    if not isinstance(plan, HyperPodSlurmPlan):
        return _on_kubernetes(plan)
    if plan.continuous:
        return "continuous: the stack is complete with the controller, nodes come as there is capacity"
    return f"all at once; changes made by hand: {plan.slurm_config_strategy}"


def _scripts(plan: HyperPodSlurmPlan | HyperPodEksPlan) -> str:
    if plan.customer:
        return (
            f"{plan.customer.entry} of {plan.customer.source_s3_uri}, in the place of HyperPod's own set-up"
        )
    if plan.scripts is None:
        return "none: nodes stay as HyperPod sets them up"
    if not isinstance(plan, HyperPodSlurmPlan):
        return "ultracluster's, before a node joins"
    own = ", then the profile's own" if "user_script.sh" in plan.scripts.files else ""
    return f"ultracluster's, after HyperPod's{own}"


def _accounting(plan: AccountingPlan) -> str:
    if plan.existing:
        return f"database {plan.database} at {plan.existing.endpoint}:{plan.port}"
    assert plan.new is not None
    many = f"{plan.instances} instances" if plan.instances > 1 else "1 instance"
    capacity = f"{plan.new.min_acu:g} to {plan.new.max_acu:g} ACU"
    return f"database {plan.database} on Aurora MySQL, {many} of {capacity}"


def group_settings(group: GroupPlan) -> Iterator[str]:
    """Sentences about types to fall back on, the least count, keys, image and its updates."""
    if group.fallbacks:
        yield f"else of {', then '.join(other.name for other in group.fallbacks)}"
    if group.min_count is not None:
        yield f"given up after {GIVEN_UP_AFTER_HOURS} hours with fewer than {group.min_count} nodes"
    keys = (("root volume", group.root_volume_key_arn), ("second volume", group.volume_key_arn))
    named = [name for name, key in keys if key]
    if named:
        yield f"{' and '.join(named)} with a KMS key of yours"
    if group.ami_id or group.image_release:
        yield f"runs {group.ami_id or f'release {group.image_release} of HyperPod'}"
    if group.taints:
        yield f"takes only pods that tolerate {', '.join(taint.key for taint in group.taints)}"
    if update := group.scheduled_update:
        yield f"image updated at {update.schedule}{_deployed(update.deployment)}: what runs then is lost"
    if patch := group.auto_patch:
        yield f"image patched {patch.strategy.replace('-', ' ')}{_deployed(patch.deployment)}"


def _deployed(deployment: Deployment | None) -> str:
    if deployment is None:
        return ""
    batch = deployment.batch
    size = f", {batch.value} {batch.kind.replace('-', ' ')} at a time" if batch else ""
    return size + (f", back at {' or '.join(deployment.alarms)}" if deployment.alarms else "")
