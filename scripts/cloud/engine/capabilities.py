"""Capabilities that a caller must acknowledge for templates with IAM resources.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html
"""

from __future__ import annotations

from collections.abc import Collection

from scripts.cloud.template.document import Template

from .errors import CapabilitiesMissingError

# property with the custom name of the resource; empty if the type has none
_NAMES = {
    "AWS::IAM::AccessKey": "",
    "AWS::IAM::Group": "GroupName",
    "AWS::IAM::InstanceProfile": "InstanceProfileName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::IAM::Policy": "",
    "AWS::IAM::Role": "RoleName",
    "AWS::IAM::User": "UserName",
    "AWS::IAM::UserToGroupAddition": "",
}


def require_capabilities(template: Template, capabilities: Collection[str]) -> None:
    """Check that IAM resources are acknowledged; custom names require CAPABILITY_NAMED_IAM."""
    iam = [declared for declared in template.resources.values() if declared["Type"] in _NAMES]
    named = any(_NAMES[d["Type"]] in (d.get("Properties") or {}) for d in iam)
    if iam and "CAPABILITY_NAMED_IAM" not in capabilities and (named or "CAPABILITY_IAM" not in capabilities):
        wanted = "CAPABILITY_NAMED_IAM" if named else "CAPABILITY_IAM"
        raise CapabilitiesMissingError(f"Requires capabilities : [{wanted}]")
