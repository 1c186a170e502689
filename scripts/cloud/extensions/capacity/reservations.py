"""EC2 capacity reservations, which moto lacks: create, describe, modify, cancel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import ec2_backends
from moto.ec2.responses import EC2Response

from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import Record, next_id, now, table

_KEPT = (
    "EbsOptimized",
    "EndDate",
    "EndDateType",
    "EphemeralStorage",
    "InstanceMatchCriteria",
    "InstancePlatform",
    "InstanceType",
    "OutpostArn",
    "PlacementGroupArn",
    "Tenancy",
)


def _reservations(response: EC2Response) -> dict[str, Record]:
    return table(response.ec2_backend, "capacity_reservations")


@adds(EC2Response, "create_capacity_reservation")
def _create(self: EC2Response) -> ActionResult:
    zone = self._get_param("AvailabilityZone")
    names = {"zone_names": [zone]} if zone else {"zone_ids": [self._get_param("AvailabilityZoneId")]}
    zones = self.ec2_backend.describe_availability_zones(**names)
    if not zones:
        raise EC2ClientError("InvalidParameterValue", f"Invalid availability zone: {names}")
    reservation_id = f"cr-{next_id(self.ec2_backend, 'capacity-reservation', 17)}"
    count, tags = self._get_param("InstanceCount"), self._parse_tag_specification()
    settings = {key: self._get_param(key) for key in _KEPT}
    reservation: Record = {
        # https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateCapacityReservation.html
        "EbsOptimized": False,
        "EndDateType": "unlimited",
        "EphemeralStorage": False,
        "InstanceMatchCriteria": "open",
        "Tenancy": "default",
        **{key: value for key, value in settings.items() if value is not None},
        "CapacityReservationId": reservation_id,
        "CapacityReservationArn": f"arn:aws:ec2:{self.region}:{self.current_account}:"
        f"capacity-reservation/{reservation_id}",
        "OwnerId": self.current_account,
        "AvailabilityZone": zones[0].name,
        "AvailabilityZoneId": zones[0].zone_id,
        "TotalInstanceCount": count,
        "AvailableInstanceCount": count,
        "ReservationType": "default",
        "DeliveryPreference": "fixed",
        "State": "active",
        "StartDate": now(),
        "CreateDate": now(),
        "Tags": [{"Key": k, "Value": v} for k, v in tags.get("capacity-reservation", {}).items()],
    }
    _reservations(self)[reservation_id] = reservation
    return ActionResult({"CapacityReservation": reservation})


def _find(response: EC2Response, reservation_id: str) -> Record:
    found = _reservations(response).get(reservation_id)
    if found is None:
        message = f"The capacity reservation ID '{reservation_id}' does not exist"
        raise EC2ClientError("InvalidCapacityReservationId.NotFound", message)
    return found


@adds(EC2Response, "describe_capacity_reservations")
def _describe(self: EC2Response) -> ActionResult:
    wanted = self._get_param("CapacityReservationIds", [])
    found = [_find(self, i) for i in wanted] or list(_reservations(self).values())
    return ActionResult({"CapacityReservations": [_by_now(one) for one in found]})


def is_block(reservation: Record) -> bool:
    """Return whether a reservation is a Capacity Block."""
    return bool(reservation["ReservationType"] == "capacity-block")


def _by_now(reservation: Record) -> Record:
    """Return a reservation with its current state; the date determines the state of a Capacity Block."""
    if not is_block(reservation) or reservation["State"] == "cancelled":
        return reservation
    moment = now()
    begun = "active" if moment < reservation["EndDate"] else "expired"
    return reservation | {"State": "scheduled" if moment < reservation["StartDate"] else begun}


def buy_block(
    account: str, region: str, *, instance_type: str, instances: int, zone_id: str, start: Any, end: Any
) -> str:
    """Buy a Capacity Block and return its id."""
    ec2 = ec2_backends[account][region]
    (zone,) = ec2.describe_availability_zones(zone_ids=[zone_id])
    block_id = f"cr-{next_id(ec2, 'capacity-reservation', 17)}"
    table(ec2, "capacity_reservations")[block_id] = {
        "CapacityReservationId": block_id,
        "CapacityReservationArn": f"arn:aws:ec2:{region}:{account}:capacity-reservation/{block_id}",
        "OwnerId": account,
        "InstanceType": instance_type,
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": zone.name,
        "AvailabilityZoneId": zone.zone_id,
        "Tenancy": "default",
        "InstanceMatchCriteria": "targeted",
        "TotalInstanceCount": instances,
        "AvailableInstanceCount": instances,
        "ReservationType": "capacity-block",
        "EndDateType": "limited",
        "State": "scheduled",
        "StartDate": start,
        "EndDate": end,
        "CreateDate": now(),
        "Tags": [],
    }
    return block_id


@adds(EC2Response, "modify_capacity_reservation")
def _modify(self: EC2Response) -> ActionResult:
    reservation = _find(self, self._get_param("CapacityReservationId"))
    count = self._get_param("InstanceCount")
    if count is not None:
        reservation.update(TotalInstanceCount=count, AvailableInstanceCount=count)
    for key in ("EndDate", "EndDateType", "InstanceMatchCriteria"):
        if self._get_param(key) is not None:
            reservation[key] = self._get_param(key)
    return ActionResult({"Return": True})


@adds(EC2Response, "cancel_capacity_reservation")
def _cancel(self: EC2Response) -> ActionResult:
    """Cancel a reservation, which DescribeCapacityReservations still returns."""
    _find(self, self._get_param("CapacityReservationId")).update(State="cancelled", TotalInstanceCount=0)
    return ActionResult({"Return": True})


def block_of(account: str, region: str, reservation_id: str | None) -> Record | None:
    """Return a Capacity Block that was bought in the embedded cloud; None for other reservations."""
    found = table(ec2_backends[account][region], "capacity_reservations").get(reservation_id or "")
    return found if found and is_block(found) else None


def reservation_of(data: Mapping[str, Any]) -> str | None:
    """Return the reservation in a launch template; None if the template does not name a reservation."""
    target = (data.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    found: str | None = target.get("CapacityReservationId")
    return found
