"""A stack of an example in a cloud of this process, with short words for what tests ask of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from scripts.cloud.local import LocalCloud
from scripts.cloud.resources.base import Context, Existing
from scripts.cloud.resources.registry import model_of

_numbers = count()


@dataclass
class Deployed:
    """A stack that does not exist yet; each has a name of its own."""

    cloud: LocalCloud
    region: str = "us-east-1"

    def __post_init__(self) -> None:
        self.name = f"example-{next(_numbers)}"

    def client(self, service: str) -> Any:
        return self.cloud.client(service, self.region)

    def try_deploy(self, resources: Mapping[str, Any]) -> Any:
        return self.cloud.deploy(self.region, self.name, json.dumps({"Resources": resources}))

    def deploy(self, resources: Mapping[str, Any]) -> Any:
        stack = self.try_deploy(resources)
        assert stack.status in ("CREATE_COMPLETE", "UPDATE_COMPLETE"), self.reasons(stack)
        return stack

    def refusal(self, resources: Mapping[str, Any], logical_id: str = "Subject") -> str:
        """Why the creation of one resource fails."""
        stack = self.try_deploy(resources)
        assert stack.status == "ROLLBACK_COMPLETE", self.reasons(stack)
        return next(why for who, why in self.reasons(stack) if who == logical_id)

    def try_delete(self, stack: Any) -> None:
        self.cloud.backend(self.region).delete(stack)

    def delete(self, stack: Any) -> None:
        self.try_delete(stack)
        assert stack.status == "DELETE_COMPLETE", self.reasons(stack)

    def read(self, stack: Any, logical_id: str = "Subject") -> Any:
        return self.read_resource(stack, stack.resources[logical_id])

    def read_resource(self, stack: Any, resource: Any) -> Any:
        context = Context(
            region=self.region,
            account_id=self.cloud.account,
            stack_name=stack.name,
            stack_id=stack.id,
            logical_id=resource.logical_id,
            generation=1,
            stack_tags={},
            client=self.client,
        )
        existing = Existing(resource.physical_id, resource.properties, resource.attributes)
        return model_of(resource.type).read(context, existing)

    @staticmethod
    def reasons(stack: Any) -> list[tuple[str, str]]:
        return [(e.logical_id, e.reason or "") for e in stack.events if e.status.endswith("_FAILED")]
