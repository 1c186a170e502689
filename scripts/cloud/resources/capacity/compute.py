"""Launch templates, placement groups and capacity reservations, on EC2."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.base import Context, Existing, Model, Properties
from scripts.cloud.resources.network.tags import Ec2Model


class LaunchTemplate(Ec2Model):
    """A launch template; an update creates a new version."""

    type = "AWS::EC2::LaunchTemplate"
    noun, kind = "launch_template", ""
    updates, reads = "create_{}_version", "describe_{}_versions"
    named = ("LaunchTemplateName", "LaunchTemplateName", 128)
    key = ("LaunchTemplateId",)
    ref = "{LaunchTemplateId}"
    refreshed = versioned = True

    def request(self, context: Context, method: str, existing: Existing) -> dict[str, Any]:
        latest = {"Versions": ["$Latest"]} if method == self.reads.format(self.noun) else {}
        return super().request(context, method, existing) | latest

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        latest = str(made.get("VersionNumber", 1))
        versions = {"LatestVersionNumber": latest, "DefaultVersionNumber": "1"}
        return super().attributes(context, existing, {**made, **versions})


class PlacementGroup(Ec2Model):
    """A placement group; every change replaces it."""

    type = "AWS::EC2::PlacementGroup"
    noun = "placement_group"
    named = ("GroupName", "GroupName", 255)
    key = ("GroupName",)
    shown = ("GroupId",)
    update = Model.update


class CapacityReservation(Ec2Model):
    """A capacity reservation, which is billed from its creation."""

    type = "AWS::EC2::CapacityReservation"
    noun, kind = "capacity_reservation", ""
    updates, deletes = "modify_{}", "cancel_{}"
    key = ("CapacityReservationId",)
    ref = "{CapacityReservationId}"
    refreshed = True

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        return super().properties(
            context, existing, {**record, "InstanceCount": record["TotalInstanceCount"]}
        )
