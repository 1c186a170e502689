"""The SageMaker HyperPod report of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from config.design.capacity.groups import GroupPlan
from config.design.slurm.accounting import AccountingPlan
from config.design.slurm.hyperpod import HyperPodSlurmPlan
from config.design.slurm.without_scripts import missing_setup
from config.profile.model import Profile
from config.profile.slurm.hyperpod import Deployment

if TYPE_CHECKING:
    from config.design.kubernetes.hyperpod import HyperPodEksPlan

GIVEN_UP_AFTER_HOURS = 3
"""HyperPod rolls a group back if it does not reach its minimum count in this time
(https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterInstanceGroupSpecification.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodReport:
    """A HyperPod cluster in sentences; `accounting` is None if the controller stores the accounting.

    `undone` lists the setup that nodes lack because they do not run ultracluster's lifecycle scripts. The
    plan's speed and repair values assume this setup.
    """

    cluster_name: str
    provisioning: str
    scripts: str
    undone: tuple[str, ...]
    accounting: str | None


def hyperpod_report(plan: HyperPodSlurmPlan | HyperPodEksPlan, profile: Profile) -> HyperPodReport:
    """Return the report of one cluster."""
    accounting = plan.accounting if isinstance(plan, HyperPodSlurmPlan) else None
    return HyperPodReport(
        cluster_name=plan.cluster_name,
        provisioning=_provisioning(plan),
        scripts=_scripts(plan),
        undone=missing_setup(profile),
        accounting=_accounting(accounting) if accounting else None,
    )


def _on_kubernetes(plan: HyperPodEksPlan) -> str:
    provisioning_mode = (
        "continuous: the cluster can be complete before its nodes exist" if plan.continuous else "all at once"
    )
    return (
        f"{provisioning_mode}; Karpenter scales {', '.join(plan.autoscaled)}"
        if plan.autoscaled
        else provisioning_mode
    )


def _provisioning(plan: HyperPodSlurmPlan | HyperPodEksPlan) -> str:
    if not isinstance(plan, HyperPodSlurmPlan):
        return _on_kubernetes(plan)
    if plan.continuous:
        return "continuous: the stack is complete with the controller; other nodes start when capacity allows"
    return f"all at once; {_CHANGES[str(plan.slurm_config_strategy)]}"


_CHANGES = {
    "merge": "HyperPod keeps manual changes to Slurm's configuration (merge)",
    "overwrite": "HyperPod overwrites manual changes to Slurm's configuration (overwrite)",
    "managed": "manual changes to Slurm's configuration stop the update (managed)",
}


def _scripts(plan: HyperPodSlurmPlan | HyperPodEksPlan) -> str:
    if plan.customer:
        return f"{plan.customer.entry} in {plan.customer.source_s3_uri}, instead of HyperPod's default setup"
    if plan.scripts is None:
        return "only HyperPod's default setup"
    if not isinstance(plan, HyperPodSlurmPlan):
        return "from ultracluster, before a node joins the cluster"
    own = ", then your script" if "user_script.sh" in plan.scripts.files else ""
    return f"HyperPod's default setup, then ultracluster's scripts{own}"


def _accounting(plan: AccountingPlan) -> str:
    if plan.existing:
        return f"database {plan.database} at {plan.existing.endpoint}:{plan.port}"
    assert plan.new is not None
    many = f"{plan.instances} instances" if plan.instances > 1 else "1 instance"
    capacity = f"{plan.new.min_acu:g} to {plan.new.max_acu:g} ACU each"
    return f"database {plan.database} on Aurora MySQL, {many} with {capacity}"


def group_settings(group: GroupPlan) -> Iterator[str]:
    """Yield sentences about alternative types, the minimum count, keys, the image and its updates."""
    if group.fallbacks:
        yield f"alternative types, in order: {', '.join(other.name for other in group.fallbacks)}"
    if group.min_count is not None:
        yield f"rolled back if fewer than {group.min_count} nodes exist after {GIVEN_UP_AFTER_HOURS} hours"
    keys = (("root volume", group.root_volume_key_arn), ("second volume", group.volume_key_arn))
    named = [name for name, key in keys if key]
    if named:
        yield f"{' and '.join(named)} encrypted with your KMS key"
    if group.ami_id or group.image_release:
        yield f"node image: {group.ami_id or f'HyperPod release {group.image_release}'}"
    if group.taints:
        yield f"accepts only pods that tolerate {', '.join(taint.key for taint in group.taints)}"
    if update := group.scheduled_update:
        yield f"image updated at {update.schedule}{_deployed(update.deployment)}; running jobs are lost"
    if patch := group.auto_patch:
        yield f"image patched {patch.strategy.replace('-', ' ')}{_deployed(patch.deployment)}"


def _deployed(deployment: Deployment | None) -> str:
    if deployment is None:
        return ""
    batch = deployment.batch
    size = f", {batch.value} {batch.kind.replace('-', ' ')} at a time" if batch else ""
    return size + (f", rolled back on alarm {' or '.join(deployment.alarms)}" if deployment.alarms else "")
