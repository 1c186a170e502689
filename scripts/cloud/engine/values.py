"""Values of a template's intrinsic functions in one stack, as far as they are known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from scripts.cloud.template.custom_types import custom_attribute, is_custom
from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import ResourceFailedError
from scripts.cloud.template.functions import KNOWN_AFTER_APPLY, truth

from .account import Account
from .stack import Resource, Stack


class StackValues:
    """Values of functions in one deployment; those of resources in `later` are known only after it."""

    def __init__(
        self,
        account: Account,
        stack: Stack,
        template: Template,
        parameters: Mapping[str, Any],
        exports: Callable[[], Mapping[str, str]],
        later: Collection[str] = (),
    ) -> None:
        self.mappings = template.section("Mappings")
        self._account, self._stack, self._template = account, stack, template
        self._parameters, self._exports, self._later = parameters, exports, later
        self._conditions: dict[str, bool] = {}
        self._evaluating: set[str] = set()
        self.imported: set[str] = set()

    def ref(self, name: str) -> Any:
        """Return the value of a parameter, a pseudo parameter or a resource."""
        if name in self._parameters:
            return self._parameters[name]
        if name.startswith("AWS::"):
            return self._pseudo(name)
        return KNOWN_AFTER_APPLY if name in self._later else self._resource(name).physical_id

    def attribute(self, logical_id: str, name: str) -> Any:
        """Return an attribute of a resource."""
        if logical_id in self._later:
            return KNOWN_AFTER_APPLY
        resource = self._resource(logical_id)
        if is_custom(resource.type):
            return custom_attribute(resource.attributes, name, self._stack.id, logical_id)
        value: Any = resource.attributes
        for part in [name] if name in value else name.split("."):
            if not isinstance(value, Mapping) or part not in value:
                raise ResourceFailedError(
                    f"Template error: resource {logical_id} does not support attribute type {name} "
                    "in Fn::GetAtt"
                )
            value = value[part]
        return value

    def condition(self, name: str) -> bool:
        """Return the value of a condition."""
        if name not in self._conditions:
            declared = self._template.section("Conditions")
            if name not in declared:
                raise ResourceFailedError(f"Template error: unresolved condition dependency {name}")
            if name in self._evaluating:
                raise ResourceFailedError(f"Template error: condition {name} refers to itself")
            self._evaluating.add(name)
            self._conditions[name] = truth(declared[name], self)
        return self._conditions[name]

    def exported(self, name: str) -> Any:
        """Return the value of another stack's export."""
        exports = self._exports()
        if name not in exports:
            raise ResourceFailedError(f"No export named {name} found.")
        self.imported.add(name)
        return exports[name]

    def zones(self, region: str) -> list[str]:
        """Return the Availability Zones of a Region."""
        return self._account.zones(region)

    def dynamic(self, service: str, key: str) -> str:
        """Return the value of a dynamic reference."""
        return self._account.dynamic(service, key)

    def is_active(self, declared: Mapping[str, Any]) -> bool:
        """Return whether the condition of a resource or an output is true."""
        return "Condition" not in declared or self.condition(declared["Condition"])

    def _resource(self, logical_id: str) -> Resource:
        if logical_id not in self._stack.resources:
            raise ResourceFailedError(
                f"Template error: {logical_id} does not exist; its condition may be false"
            )
        return self._stack.resources[logical_id]

    def _pseudo(self, name: str) -> Any:
        pseudo = {
            "AWS::AccountId": self._account.account_id,
            "AWS::NotificationARNs": [],
            "AWS::Partition": "aws",
            "AWS::Region": self._account.region,
            "AWS::StackId": self._stack.id,
            "AWS::StackName": self._stack.name,
            "AWS::URLSuffix": "amazonaws.com",
        }
        if name not in pseudo:
            raise ResourceFailedError(f"Template error: unknown pseudo parameter {name}")
        return pseudo[name]
