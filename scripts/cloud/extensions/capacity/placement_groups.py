"""EC2 placement groups, which moto lacks: create, describe, delete."""

from __future__ import annotations

from moto.core.responses import ActionResult, EmptyResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses import EC2Response

from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import Record, next_id, table


def _groups(response: EC2Response) -> dict[str, Record]:
    return table(response.ec2_backend, "placement_groups")


@adds(EC2Response, "create_placement_group")
def _create(self: EC2Response) -> ActionResult:
    name, groups = self._get_param("GroupName"), _groups(self)
    if name in groups:
        raise EC2ClientError(
            "InvalidPlacementGroup.Duplicate", f"The placement group '{name}' already exists."
        )
    tags = self._parse_tag_specification().get("placement-group", {})
    group = {
        "GroupName": name,
        "GroupId": f"pg-{next_id(self.ec2_backend, 'placement-group', 17)}",
        "State": "available",
        "Strategy": self._get_param("Strategy", "cluster"),
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
    }
    for optional in ("PartitionCount", "SpreadLevel"):
        if self._get_param(optional) is not None:
            group[optional] = self._get_param(optional)
    groups[name] = group
    return ActionResult({"PlacementGroup": group})


@adds(EC2Response, "describe_placement_groups")
def _describe(self: EC2Response) -> ActionResult:
    names = self._get_param("GroupNames", [])
    groups = _groups(self)
    for name in names:
        if name not in groups:
            raise _unknown(name)
    return ActionResult({"PlacementGroups": [g for n, g in groups.items() if not names or n in names]})


@adds(EC2Response, "delete_placement_group")
def _delete(self: EC2Response) -> EmptyResult:
    name = self._get_param("GroupName")
    if _groups(self).pop(name, None) is None:
        raise _unknown(name)
    return EmptyResult()


def _unknown(name: str) -> EC2ClientError:
    return EC2ClientError("InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")
