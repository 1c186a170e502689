"""Custom resources, whose behaviour is defined by their provider."""

# ruff: noqa: D102 - Model describes the methods

from __future__ import annotations

from typing import Any

from scripts.cloud.custom import builtin
from scripts.cloud.custom.delivery import Provider
from scripts.cloud.custom.environment import Environment
from scripts.cloud.custom.protocol import Answer, Request
from scripts.cloud.template.custom_types import CUSTOM_RESOURCE
from scripts.cloud.template.errors import ResourceFailedError

from .base import Context, Created, Existing, Model, Properties

builtin.register_all()


class CustomResource(Model):
    """A custom resource of one type: the provider's function creates, updates and deletes it."""

    type = CUSTOM_RESOURCE

    def __init__(self, resource_type: str) -> None:
        self._resource_type = resource_type

    def create(self, context: Context, properties: Properties) -> Created:
        provider = self._provider(context, properties)
        request = Request(kind="Create", **self._about(context, properties))
        try:
            answer = provider.ask(request)
        except ResourceFailedError:
            # without a valid response, CloudFormation deletes the resource by an id that it generates
            context.leave(Created(context.generated_name(128)))
            raise
        return self._taken(context, answer)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Created:
        if properties["ServiceToken"] != existing.properties["ServiceToken"]:
            raise ResourceFailedError("Modifying service token is not allowed.")
        provider = self._provider(context, properties)
        request = Request(
            kind="Update",
            physical_id=existing.physical_id,
            old_properties=existing.properties,
            **self._about(context, properties),
        )
        try:
            answer = provider.ask(request)
        except ResourceFailedError:
            context.leave(Created(existing.physical_id, existing.attributes))
            raise
        return self._taken(context, answer)

    def delete(self, context: Context, existing: Existing) -> None:
        provider = self._provider(context, existing.properties)
        answer = provider.ask(
            Request(
                kind="Delete",
                physical_id=existing.physical_id,
                **self._about(context, existing.properties),
            )
        )
        if answer.failure is not None:
            raise ResourceFailedError(answer.failure)

    @staticmethod
    def _taken(context: Context, answer: Answer) -> Created:
        made = Created(answer.physical_id, answer.data)
        if answer.failure is not None:
            context.leave(made)
            raise ResourceFailedError(answer.failure)
        return made

    def _provider(self, context: Context, properties: Properties) -> Provider:
        address = context.client("lambda").meta.endpoint_url
        environment = Environment.at(context.account_id, context.region, address)
        return Provider.behind(properties["ServiceToken"], self._resource_type, environment)

    def _about(self, context: Context, properties: Properties) -> dict[str, Any]:
        return {
            "resource_type": self._resource_type,
            "stack_id": context.stack_id,
            "logical_id": context.logical_id,
            "properties": properties,
        }
