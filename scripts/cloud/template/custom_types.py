"""Custom resources: types that a template's author names, with properties that only their provider knows.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-customresource.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .errors import ResourceFailedError

CUSTOM_RESOURCE = "AWS::CloudFormation::CustomResource"
DEFAULT_TIMEOUT_S = 3600
# A change of ServiceToken is no replacement, as cfn-lint's schema has it: CloudFormation refuses it.
# And that schema's read-only Id would forbid a provider to have a property of this name.
_SCHEMA: Mapping[str, Any] = {
    "typeName": CUSTOM_RESOURCE,
    "additionalProperties": True,
    "properties": {
        "ServiceToken": {"type": "string"},
        "ServiceTimeout": {"type": "integer", "minimum": 1, "maximum": DEFAULT_TIMEOUT_S},
    },
    "required": ["ServiceToken"],
}
_PREFIX = "Custom::"
# the length counts the prefix: aws-cdk-lib/core/lib/custom-resource.ts, renderResourceType
_LENGTH = 60
_NAME = re.compile(r"[A-Za-z0-9_@-]+")


def is_custom(resource_type: str) -> bool:
    """Whether a provider of the author's own makes resources of this type."""
    return resource_type == CUSTOM_RESOURCE or resource_type.startswith(_PREFIX)


def custom_schema(resource_type: str) -> Mapping[str, Any]:
    """The properties that every custom resource has; raises for a type's name that CloudFormation refuses."""
    name = resource_type.removeprefix(_PREFIX)
    if resource_type == CUSTOM_RESOURCE:
        return _SCHEMA
    if len(resource_type) > _LENGTH:
        raise ResourceFailedError(
            f"Unrecognized resource type {resource_type}: {len(resource_type)} characters, "
            f"and a custom type has {_LENGTH} at most"
        )
    if not _NAME.fullmatch(name):
        raise ResourceFailedError(
            f"Unrecognized resource type {resource_type}: "
            "after Custom:: come letters, digits and the characters _@- only"
        )
    return _SCHEMA


def as_strings(value: Any) -> Any:
    """A value as a provider receives it: every boolean and number in it is a string."""
    if isinstance(value, Mapping):
        return {key: as_strings(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_strings(item) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def custom_attribute(attributes: Mapping[str, Any], name: str, stack_id: str, logical_id: str) -> Any:
    """A value of the provider's Data, by its whole name: CloudFormation does not look into what is nested.

    https://github.com/aws/aws-cdk/issues/27626
    """
    if name not in attributes:
        raise ResourceFailedError(
            f"CustomResource attribute error: Vendor response doesn't contain {name} attribute "
            f"in object {stack_id}|{logical_id}"
        )
    return attributes[name]
