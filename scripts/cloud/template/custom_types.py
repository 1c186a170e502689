"""Custom resources: the template's author names the type, and the provider defines its properties.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-customresource.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .errors import ResourceFailedError

CUSTOM_RESOURCE = "AWS::CloudFormation::CustomResource"
DEFAULT_TIMEOUT_S = 3600
# cfn-lint's schema differs in two ways: a change of ServiceToken is no replacement, since CloudFormation
# rejects it; and a read-only Id would forbid providers to have a property of this name.
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
# the length includes the prefix: aws-cdk-lib/core/lib/custom-resource.ts, renderResourceType
_LENGTH = 60
_NAME = re.compile(r"[A-Za-z0-9_@-]+")


def is_custom(resource_type: str) -> bool:
    """Return whether the type is a custom one, whose resources the template's own provider creates."""
    return resource_type == CUSTOM_RESOURCE or resource_type.startswith(_PREFIX)


def custom_schema(resource_type: str) -> Mapping[str, Any]:
    """Return the schema of a custom resource; raises ResourceFailedError for an invalid type name."""
    name = resource_type.removeprefix(_PREFIX)
    if resource_type == CUSTOM_RESOURCE:
        return _SCHEMA
    if len(resource_type) > _LENGTH:
        raise ResourceFailedError(
            f"Unrecognized resource type {resource_type}: {len(resource_type)} characters, but a "
            f"custom type has at most {_LENGTH}"
        )
    if not _NAME.fullmatch(name):
        raise ResourceFailedError(
            f"Unrecognized resource type {resource_type}: after Custom:: only letters, digits and the "
            "characters _@- are allowed"
        )
    return _SCHEMA


def as_strings(value: Any) -> Any:
    """Return a value as a provider receives it: booleans and numbers are converted to strings."""
    if isinstance(value, Mapping):
        return {key: as_strings(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_strings(item) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def custom_attribute(attributes: Mapping[str, Any], name: str, stack_id: str, logical_id: str) -> Any:
    """Return the value with this name in the provider's `Data`. Nested values cannot be returned.

    https://github.com/aws/aws-cdk/issues/27626
    """
    if name not in attributes:
        raise ResourceFailedError(
            f"CustomResource attribute error: Vendor response doesn't contain {name} attribute "
            f"in object {stack_id}|{logical_id}"
        )
    return attributes[name]
