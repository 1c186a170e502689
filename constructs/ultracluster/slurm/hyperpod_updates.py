"""How new images go over the machines of a HyperPod instance group."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ultracluster.cfn import given


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchSize:
    """How many machines at a time.

    Attributes:
        kind: Whether `value` counts machines, or per cent of the group.
        value: 1 or more.
    """

    kind: Literal["INSTANCE_COUNT", "CAPACITY_PERCENTAGE"]
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """How a new image goes over the machines.

    Attributes:
        batch: How many at a time. None: all at once.
        rollback_batch: How many at a time go back; only with a `batch`. None: as the service does.
        wait_s: Seconds between batches, 0 to 3600. None: as the service does.
        alarm_names: CloudWatch alarms, 10 at most: one that goes off rolls the update back. The role of the
            machines must be allowed to describe them.
    """

    batch: BatchSize | None = None
    rollback_batch: BatchSize | None = None
    wait_s: int | None = None
    alarm_names: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledUpdate:
    """The newest image by the clock.

    Attributes:
        schedule: `cron(0 3 ? * SUN *)` in UTC.
        deployment: None: all machines at once.
    """

    schedule: str
    deployment: Deployment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoPatch:
    """Security patches of the image on machines that are idle.

    Attributes:
        strategy: `WhenIdle` patches each machine by itself, `WhenAllIdle` all of them together.
        deployment: None: as the service does.
    """

    strategy: Literal["WhenIdle", "WhenAllIdle"]
    deployment: Deployment | None = None


def scheduled_update_config(update: ScheduledUpdate | None) -> dict[str, Any] | None:
    """The property ScheduledUpdateConfig."""
    if update is None:
        return None
    return {"ScheduleExpression": update.schedule, **_deployment_config(update.deployment)}


def auto_patch_config(patch: AutoPatch | None) -> dict[str, Any] | None:
    """The property AutoPatchConfig. Its next date is the service's own and never written."""
    if patch is None:
        return None
    return {"PatchingStrategy": patch.strategy, **_deployment_config(patch.deployment)}


def _deployment_config(deployment: Deployment | None) -> dict[str, Any]:
    if deployment is None:
        return {}
    if deployment.rollback_batch is not None and deployment.batch is None:
        raise ValueError("rollback_batch without batch: give a batch")
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
    rendered = given(config)
    return {"DeploymentConfig": rendered} if rendered else {}
