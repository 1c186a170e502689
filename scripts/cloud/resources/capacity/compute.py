"""Launch templates, placement groups and capacity reservations, over EC2."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.base import Context, Created, Existing, Model, Properties, found, known, only
from scripts.cloud.resources.network.tags import described, tag_specifications


class LaunchTemplate(Model):
    """A launch template; a change makes a new version."""

    type = "AWS::EC2::LaunchTemplate"

    def create(self, context: Context, properties: Properties) -> Created:
        template = context.client("ec2").create_launch_template(
            LaunchTemplateName=properties.get("LaunchTemplateName") or context.generated_name(128),
            **only(properties, "LaunchTemplateData", "VersionDescription", "TagSpecifications"),
        )["LaunchTemplate"]
        return Created(template["LaunchTemplateId"], self._attributes(template["LaunchTemplateId"], 1))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        version = context.client("ec2").create_launch_template_version(
            LaunchTemplateId=existing.physical_id,
            **only(properties, "LaunchTemplateData", "VersionDescription"),
        )["LaunchTemplateVersion"]["VersionNumber"]
        return self._attributes(existing.physical_id, version)

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_launch_template(LaunchTemplateId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("ec2").describe_launch_template_versions
        answer = found(ask, LaunchTemplateId=existing.physical_id, Versions=["$Latest"])
        if answer is None:
            return None
        return known(**only(answer["LaunchTemplateVersions"][0], "LaunchTemplateData", "VersionDescription"))

    @staticmethod
    def _attributes(template_id: str, latest: int) -> Properties:
        return {
            "LaunchTemplateId": template_id,
            "LatestVersionNumber": str(latest),
            "DefaultVersionNumber": "1",
        }


class PlacementGroup(Model):
    """A placement group; every change replaces it."""

    type = "AWS::EC2::PlacementGroup"

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties.get("GroupName") or context.generated_name(255)
        group = context.client("ec2").create_placement_group(
            GroupName=name,
            **only(properties, "Strategy", "PartitionCount", "SpreadLevel"),
            **tag_specifications("placement-group", context, properties),
        )["PlacementGroup"]
        return Created(name, {"GroupName": name, "GroupId": group["GroupId"]})

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_placement_group(GroupName=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("ec2").describe_placement_groups, GroupNames=[existing.physical_id])
        if answer is None:
            return None
        group = answer["PlacementGroups"][0]
        return described(group, **only(group, "Strategy", "PartitionCount", "SpreadLevel"))


class CapacityReservation(Model):
    """Instances of one type that are kept for the account, and billed, from now on."""

    type = "AWS::EC2::CapacityReservation"
    _CHANGEABLE = ("InstanceCount", "EndDate", "EndDateType", "InstanceMatchCriteria")
    _NAMES = (
        *_CHANGEABLE,
        "AvailabilityZone",
        "AvailabilityZoneId",
        "EbsOptimized",
        "EphemeralStorage",
        "InstancePlatform",
        "InstanceType",
        "PlacementGroupArn",
        "TagSpecifications",
        "Tenancy",
    )

    def create(self, context: Context, properties: Properties) -> Created:
        request = only(properties, *self._NAMES)
        made = context.client("ec2").create_capacity_reservation(**request)["CapacityReservation"]
        return Created(made["CapacityReservationId"], self._attributes(made))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        context.client("ec2").modify_capacity_reservation(
            CapacityReservationId=existing.physical_id, **only(properties, *self._CHANGEABLE)
        )
        return self._attributes(self._told(context, existing.physical_id) or {})

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").cancel_capacity_reservation(CapacityReservationId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        told = self._told(context, existing.physical_id)
        if told is None:
            return None
        names = [name for name in self._NAMES if name not in ("InstanceCount", "TagSpecifications")]
        return described(told, **only(told, *names), InstanceCount=told["TotalInstanceCount"])

    @staticmethod
    def _told(context: Context, reservation_id: str) -> Mapping[str, Any] | None:
        ask = context.client("ec2").describe_capacity_reservations
        answer = found(ask, CapacityReservationIds=[reservation_id])
        told = answer["CapacityReservations"][0] if answer else {"State": "cancelled"}
        return told if told["State"] == "active" else None

    @staticmethod
    def _attributes(told: Mapping[str, Any]) -> Properties:
        names = (
            "AvailabilityZone",
            "AvailableInstanceCount",
            "CapacityReservationArn",
            "DeliveryPreference",
            "InstanceType",
            "OwnerId",
            "ReservationType",
            "State",
            "Tenancy",
            "TotalInstanceCount",
        )
        times = {name: told[name].isoformat() for name in ("CreateDate", "StartDate") if name in told}
        return {**only(told, *names), **times, "Id": told.get("CapacityReservationId", "")}


MODELS = (LaunchTemplate(), PlacementGroup(), CapacityReservation())
