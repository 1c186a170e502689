"""What a caller must say before a template with IAM resources is taken.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html
"""

from __future__ import annotations

from collections.abc import Collection

from scripts.cloud.template.document import Template

from .errors import CapabilitiesMissingError

# the property that gives the resource a name of its own; empty: it has none
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


def require_capabilities(template: Template, given: Collection[str]) -> None:
    """IAM resources want the caller's word; those with names of their own the stronger one."""
    iam = [declared for declared in template.resources.values() if declared["Type"] in _NAMES]
    named = any(_NAMES[d["Type"]] in (d.get("Properties") or {}) for d in iam)
    if iam and "CAPABILITY_NAMED_IAM" not in given and (named or "CAPABILITY_IAM" not in given):
        wanted = "CAPABILITY_NAMED_IAM" if named else "CAPABILITY_IAM"
        raise CapabilitiesMissingError(f"Requires capabilities : [{wanted}]")
