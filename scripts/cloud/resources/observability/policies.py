"""Policies of SQS queues and SNS topics; one policy resource can apply to several queues or topics."""

# ruff: noqa: D102 - Model describes create, update, delete and read

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from botocore.exceptions import ClientError

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    document_of,
    found,
    is_gone,
    text_of,
)


class ResourcePolicies(Model):
    """A policy of all queues or topics that one property lists; `resources` is that property's name."""

    resources: ClassVar[str]

    @abstractmethod
    def ask(self, context: Context, resource: str) -> Any:
        """Return the attributes of a queue or topic from the service."""

    @abstractmethod
    def set(self, context: Context, resource: str, policy: str) -> None:
        """Set a policy; an empty text removes it."""

    def create(self, context: Context, properties: Properties) -> Created:
        self._put(context, properties)
        policy_id = context.generated_name(128)
        return Created(policy_id, {"Id": policy_id})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        for resource in sorted(set(existing.properties[self.resources]) - set(properties[self.resources])):
            self.set(context, resource, "")
        self._put(context, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        for resource in existing.properties[self.resources]:
            try:
                self.set(context, resource, "")
            except ClientError as error:
                if not is_gone(error):
                    raise

    def read(self, context: Context, existing: Existing) -> Properties | None:
        resources = existing.properties[self.resources]
        answers = [found(self.ask, context=context, resource=resource) for resource in resources]
        if None in answers:
            return None
        first, *others = [
            document_of(record.get("Attributes", {}).get("Policy")) for record in answers if record
        ]
        return {"PolicyDocument": first if all(p == first for p in others) else [first, *others]}

    def _put(self, context: Context, properties: Properties) -> None:
        for resource in properties[self.resources]:
            self.set(context, resource, text_of(properties["PolicyDocument"]))
