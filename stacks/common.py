"""Retention, tags and SSM parameters for all layers of a stack."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from config.design.tags import profile_tags
from config.profile.model import Profile
from ultracluster.retention import Retention


def retention_of(profile: Profile) -> Retention:
    """Return the retention of stateful resources: they are retained unless the profile is disposable."""
    return Retention.DISPOSABLE if profile.disposable else Retention.RETAIN


def tags_of(profile: Profile) -> dict[str, str]:
    """Return the tags of every resource. They are constant: changed tags update file systems (STORAGE-09)."""
    return profile_tags(profile)


def add_parameter(
    scope: Construct, construct_id: str, profile: Profile, name: str, value: str, description: str
) -> cdk.CfnResource:
    """Add an SSM parameter; `{}` in the description is replaced by the profile's name."""
    properties = {
        "Type": "String",
        "Name": name,
        "Value": value,
        "Description": description.format(profile.name),
        "Tags": tags_of(profile),
    }
    return cdk.CfnResource(scope, construct_id, type="AWS::SSM::Parameter", properties=properties)
