"""Image updates of a HyperPod instance group."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ultracluster.cfn import without_none


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchSize:
    """A number or percentage of nodes.

    Attributes:
        kind: Whether `value` is a number of nodes or a percentage of the group.
        value: 1 or more.
    """

    kind: Literal["INSTANCE_COUNT", "CAPACITY_PERCENTAGE"]
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """Rollout of a new image to the nodes of a group.

    Attributes:
        batch: Nodes updated at a time. None: all nodes.
        rollback_batch: Nodes rolled back at a time; requires `batch`. None: HyperPod's default.
        wait_s: Seconds between batches, 0 to 3600. None: HyperPod's default.
        alarm_names: At most 10 CloudWatch alarms; an alarm in state ALARM rolls the update back. The role of
            the nodes must be allowed to describe the alarms.
    """

    batch: BatchSize | None = None
    rollback_batch: BatchSize | None = None
    wait_s: int | None = None
    alarm_names: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledUpdate:
    """Updates to the newest image on a schedule.

    Attributes:
        schedule: Cron expression in UTC, for example `cron(0 3 ? * SUN *)`.
        deployment: Rollout. None: all nodes at once.
    """

    schedule: str
    deployment: Deployment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoPatch:
    """Security patches of the image on idle nodes.

    Attributes:
        strategy: `WhenIdle` patches each node when it is idle, `WhenAllIdle` all nodes when all are idle.
        deployment: Rollout. None: HyperPod's default.
    """

    strategy: Literal["WhenIdle", "WhenAllIdle"]
    deployment: Deployment | None = None


def scheduled_update_config(update: ScheduledUpdate | None) -> dict[str, Any] | None:
    """Return the property ScheduledUpdateConfig."""
    if update is None:
        return None
    return {"ScheduleExpression": update.schedule, **_deployment_config(update.deployment)}


def auto_patch_config(patch: AutoPatch | None) -> dict[str, Any] | None:
    """Return the property AutoPatchConfig without the next patch date, which HyperPod sets."""
    if patch is None:
        return None
    return {"PatchingStrategy": patch.strategy, **_deployment_config(patch.deployment)}


def _deployment_config(deployment: Deployment | None) -> dict[str, Any]:
    if deployment is None:
        return {}
    if deployment.rollback_batch is not None and deployment.batch is None:
        raise ValueError("rollback_batch without batch: set a batch")
    policy = {"MaximumBatchSize": deployment.batch, "RollbackMaximumBatchSize": deployment.rollback_batch}
    sizes = {
        key: {"Type": size.kind, "Value": size.value} for key, size in policy.items() if size is not None
    }
    alarms = [{"AlarmName": name} for name in sorted(set(deployment.alarm_names))]
    config = {
        "RollingUpdatePolicy": sizes or None,
        "WaitIntervalInSeconds": deployment.wait_s,
        "AutoRollbackConfiguration": alarms or None,
    }
    rendered = without_none(config)
    return {"DeploymentConfig": rendered} if rendered else {}
