"""Reservations from the APIs of EC2 and SageMaker: ODCRs, Capacity Blocks, resource groups, training plans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from config.design.capacity.training_plans import plan_arn
from config.profile.capacity.groups import AnyCapacity, Group
from scripts.cli.preflight.asking import Ask, MissingError, UnansweredError
from scripts.cli.preflight.checks import Permission, by_id, needs
from scripts.cli.preflight.place import Place
from scripts.cli.preflight.recorded import same

_GROUP_PERMISSIONS = (
    "cloudformation:DescribeStacks",
    "cloudformation:ListStackResources",
    "tag:GetResources",
)
"""Permissions that ListGroupResources needs in addition to its own
(https://docs.aws.amazon.com/ARG/latest/APIReference/API_ListGroupResources.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """A reservation, from any service. `zone` is a zone id, `zone_name` is a zone name."""

    name: str
    state: str
    instance_type: str
    zone: str
    zone_name: str
    total: int
    free: int
    start: datetime | None
    end: datetime | None
    match: str = ""
    kind: str = ""
    placement_group: str = ""
    ultraserver: str = ""
    platform: str = ""
    tenancy: str = ""

    @property
    def zones(self) -> tuple[str, str]:
        """Return the zone id and the zone name."""
        return self.zone, self.zone_name

    @property
    def takes_nodes(self) -> bool:
        """Return whether nodes can use the reservation: its platform is Linux and its tenancy is shared.

        https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-using.html
        """
        return self.platform in ("", "Linux/UNIX") and self.tenancy in ("", "default")


def permissions_of(place: Place, capacity: AnyCapacity) -> Iterator[Permission]:
    """Yield the permissions for queries about a reservation."""
    if capacity.arn is not None:
        plan = plan_arn(capacity.arn)
        arn = place.arn("sagemaker", f"training-plan/{plan.name if plan else '*'}")
        yield from needs("sagemaker:DescribeTrainingPlan", arn)
        return
    yield from needs("ec2:DescribeCapacityReservations")
    if capacity.ultraserver:
        yield from needs("ec2:DescribeCapacityBlocks")
    if capacity.resource_group_arn:
        yield from needs("resource-groups:ListGroupResources", capacity.resource_group_arn)
        for action in _GROUP_PERMISSIONS:
            yield from needs(action)


def reservations_of(ask: Ask, name: str, group: Group, zone: str) -> list[Reserved]:
    """Return the reservations of a group; a resource group or open matching can select several."""
    capacity = group.capacity
    if capacity.arn is not None:
        return _plan(ask, capacity.arn)
    listed = ask("ec2", "DescribeCapacityReservations")["CapacityReservations"]
    if capacity.resource_group_arn:
        members = _members(ask, capacity.resource_group_arn)
        return [_of_ec2(one) for one in listed if one["CapacityReservationId"] in members]
    if capacity.match == "open":
        answer = [_of_ec2(one) for one in listed if one.get("InstanceMatchCriteria") == "open"]
        return [
            one
            for one in answer
            if one.instance_type == group.instance_type and zone in one.zones and one.takes_nodes
        ]
    here = by_id(listed, "CapacityReservationId").get(name)
    if here is None:
        return []
    found = _of_ec2(here)
    return [replace(found, ultraserver=_ultraserver(ask, name)) if capacity.ultraserver else found]


def _ultraserver(ask: Ask, reservation_id: str) -> str:
    """Return the Capacity Block's UltraServer type, which the reservation does not contain."""
    for block in ask("ec2", "DescribeCapacityBlocks")["CapacityBlocks"]:
        if reservation_id in block.get("CapacityReservationIds", ()):
            return str(block.get("UltraserverType") or "")
    return ""


def _members(ask: Ask, group_arn: str) -> set[str]:
    try:
        answer = ask("resource-groups", "ListGroupResources", Group=group_arn)
    except MissingError:
        return set()
    arns = [one["Identifier"]["ResourceArn"] for one in answer.get("Resources", ())]
    return {arn.rpartition("/")[2] for arn in arns if ":capacity-reservation/" in arn}


def _plan(ask: Ask, arn: str) -> list[Reserved]:
    plan = plan_arn(arn)
    if plan is None:
        return []
    try:
        answer = ask("sagemaker", "DescribeTrainingPlan", TrainingPlanName=plan.name)
    except MissingError:
        return []
    if not same(answer["TrainingPlanArn"], arn):
        raise UnansweredError(f"the answer is about {answer['TrainingPlanArn']}")
    parts = answer.get("ReservedCapacitySummaries") or [{}]
    part = parts[0]
    return [
        Reserved(
            name=plan.name,
            state=str(answer["Status"]),
            instance_type=str(part.get("InstanceType", "")).removeprefix("ml."),
            zone=str(part.get("AvailabilityZoneId", "")),
            zone_name=str(part.get("AvailabilityZone", "")),
            total=int(
                answer.get("TotalInstanceCount")
                or sum(int(one.get("TotalInstanceCount", 0)) for one in parts)
            ),
            free=int(answer.get("AvailableInstanceCount", 0)),
            start=_moment(answer.get("StartTime")),
            end=_moment(answer.get("EndTime")),
            kind="training-plan",
            ultraserver=str(part.get("UltraServerType") or "").removeprefix("ml."),
        )
    ]


def _of_ec2(answer: Mapping[str, Any]) -> Reserved:
    return Reserved(
        name=str(answer["CapacityReservationId"]),
        state=str(answer.get("State", "")),
        instance_type=str(answer.get("InstanceType", "")),
        zone=str(answer.get("AvailabilityZoneId", "")),
        zone_name=str(answer.get("AvailabilityZone", "")),
        total=int(answer.get("TotalInstanceCount", 0)),
        free=int(answer.get("AvailableInstanceCount", 0)),
        start=_moment(answer.get("StartDate")),
        end=_moment(answer.get("EndDate")),
        match=str(answer.get("InstanceMatchCriteria", "")),
        # EC2's default type is an ODCR; its other type has the name that profiles use
        kind=str(answer.get("ReservationType") or "default").replace("default", "odcr"),
        placement_group=str(answer.get("PlacementGroupArn") or "").rpartition("placement-group/")[2],
        platform=str(answer.get("InstancePlatform", "")),
        tenancy=str(answer.get("Tenancy", "")),
    )


def _moment(text: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text).replace("Z", "+00:00"))
    except ValueError:
        return None
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
