"""Launch templates and placement groups, over EC2."""

# ruff: noqa: D102 - create, update and delete are described by Model

from __future__ import annotations

from .base import Context, Created, Existing, Model, Properties, only
from .ec2_tags import tag_specifications


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

    @staticmethod
    def _attributes(template_id: str, latest: int) -> Properties:
        return {
            "LaunchTemplateId": template_id,
            "LatestVersionNumber": str(latest),
            "DefaultVersionNumber": "1",
        }


class PlacementGroup(Model):
    """A placement group."""

    type = "AWS::EC2::PlacementGroup"

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties.get("GroupName") or context.generated_name(255)
        context.client("ec2").create_placement_group(
            GroupName=name,
            **only(properties, "Strategy", "PartitionCount", "SpreadLevel"),
            **tag_specifications("placement-group", context, properties),
        )
        return Created(name, {"GroupName": name})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        return existing.attributes  # tags alone can change, and moto keeps none for placement groups

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_placement_group(GroupName=existing.physical_id)


MODELS = (LaunchTemplate(), PlacementGroup())
