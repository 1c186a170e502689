"""SageMaker training plans, and the time span in which their instances are available.

For a plan that was not bought in the embedded cloud, instances are always available.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from moto.sagemaker.models import sagemaker_backends

from config.catalog import catalog
from scripts.cloud.extensions import calendar
from scripts.cloud.extensions.records import Record, table


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A training plan. Its instances are stopped some minutes before the plan ends."""

    arn: str
    name: str
    instance_type: str
    instances: int
    zone_id: str
    start: datetime
    end: datetime

    def runs(self, moment: datetime) -> bool:
        """Return whether the plan's instances are available."""
        stop = timedelta(minutes=catalog().reservations.training_plan.stopped_minutes_before_end)
        return self.start <= moment < self.end - stop

    @property
    def status(self) -> str:
        """The status as the API names it."""
        if calendar.now() < self.start:
            return "Scheduled"
        return "Active" if calendar.now() < self.end else "Expired"

    def described(self, in_use: int) -> Record:
        """Return the plan in the form of DescribeTrainingPlan."""
        minutes = int((self.end - self.start).total_seconds()) // 60
        length = {"DurationHours": minutes // 60, "DurationMinutes": minutes % 60}
        window = {**length, "StartTime": self.start, "EndTime": self.end, "Status": self.status}
        return {
            "TrainingPlanArn": self.arn,
            "TrainingPlanName": self.name,
            **window,
            "TotalInstanceCount": self.instances,
            "InUseInstanceCount": in_use,
            "AvailableInstanceCount": self.instances - in_use,
            "TargetResources": ["hyperpod-cluster"],
            "ReservedCapacitySummaries": [
                {
                    "ReservedCapacityArn": self.arn.replace(":training-plan/", ":reserved-capacity/"),
                    "InstanceType": self.instance_type,
                    "TotalInstanceCount": self.instances,
                    "AvailabilityZoneId": self.zone_id,
                    **window,
                }
            ],
        }


def plans_of(backend: Any) -> dict[str, Plan]:
    """Return the plans that were bought, by ARN."""
    found: dict[str, Any] = table(backend, "training_plans")
    return found


def buy_plan(
    account: str, region: str, name: str, *, instance_type: str, instances: int, zone_id: str,
    start: datetime, end: datetime,
) -> str:  # fmt: skip
    """Buy a plan and return its ARN."""
    plan = Plan(
        arn=f"arn:aws:sagemaker:{region}:{account}:training-plan/{name}",
        name=name, instance_type=instance_type, instances=instances, zone_id=zone_id, start=start, end=end,
    )  # fmt: skip
    plans_of(sagemaker_backends[account][region])[plan.arn] = plan
    return plan.arn
