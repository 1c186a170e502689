"""What every part of a stack takes of its profile."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from config.design.tags import profile_tags
from config.profile.model import Profile
from ultracluster.retention import Retention


def retention_of(profile: Profile) -> Retention:
    """Stateful things stay unless the profile calls itself disposable."""
    return Retention.DISPOSABLE if profile.disposable else Retention.RETAIN


def tags_of(profile: Profile) -> dict[str, str]:
    """Tags of every resource; stable, since a changed tag updates a linked file system (STORAGE-09)."""
    return profile_tags(profile)


def add_parameter(
    scope: Construct, construct_id: str, profile: Profile, name: str, value: str, description: str
) -> cdk.CfnResource:
    """Add a parameter of SSM; `{}` in the description is the profile's name."""
    properties = {
        "Type": "String",
        "Name": name,
        "Value": value,
        "Description": description.format(profile.name),
        "Tags": tags_of(profile),
    }
    return cdk.CfnResource(scope, construct_id, type="AWS::SSM::Parameter", properties=properties)
