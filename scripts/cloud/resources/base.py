"""The interface of a resource type, and the context of its operations."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, ClassVar

from botocore.exceptions import ClientError

from scripts.cloud.template.errors import ResourceFailedError

Properties = Mapping[str, Any]


@dataclass(frozen=True)
class Created:
    """The result of a creation: the physical id (`Ref`) and the attributes (`Fn::GetAtt`)."""

    physical_id: str
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Context:
    """The context of a resource. `client` returns a boto3 client for the stack's account and Region."""

    region: str
    account_id: str
    stack_name: str
    stack_id: str
    logical_id: str
    generation: int
    stack_tags: Mapping[str, str]
    client: Callable[[str], Any]
    claimed: list[Created] = field(default_factory=list)
    left: list[Created] = field(default_factory=list)

    def leave(self, left: Created) -> None:
        """Record the id after a failed action. The rollback reverts an old resource and deletes a new one."""
        self.left.append(left)

    def claim(self, physical_id: str, **attributes: Any) -> None:
        """Record that the resource is created; it is deleted if one of its settings then fails."""
        self.claimed.append(Created(physical_id, attributes))

    def generated_name(self, limit: int = 64, *, lower: bool = False) -> str:
        """Generate a name for a resource without one; it is the same for one generation of the resource."""
        seed = f"{self.stack_id}/{self.logical_id}/{self.generation}"
        suffix = hashlib.sha256(seed.encode()).hexdigest()[:12]
        name = f"{self.stack_name}-{self.logical_id}"[: limit - 13].rstrip("-") + f"-{suffix}"
        return name.lower() if lower else name

    def arn(self, service: str, path: str) -> str:
        """Return an ARN in the stack's account and Region."""
        return f"arn:aws:{service}:{self.region}:{self.account_id}:{path}"

    def tags(self, properties: Properties) -> dict[str, str]:
        """Return the stack's tags and the tags in the resource's properties (a list or a mapping)."""
        return {**self.stack_tags, **tag_mapping(properties)}

    def tag_list(self, properties: Properties) -> list[dict[str, str]]:
        """Return the stack's and the resource's tags as a list of Key and Value."""
        return [{"Key": key, "Value": value} for key, value in sorted(self.tags(properties).items())]


def from_tag_list(tags: list[Mapping[str, str]]) -> dict[str, str]:
    """Return Key and Value pairs as a mapping."""
    return {tag["Key"]: tag["Value"] for tag in tags}


def tag_mapping(properties: Properties) -> dict[str, str]:
    """Return the tags in the properties (a list or a mapping) as a mapping."""
    own = properties.get("Tags") or {}
    return dict(own) if isinstance(own, Mapping) else from_tag_list(own)


def only(properties: Properties, *names: str) -> dict[str, Any]:
    """Return the properties with these names; names without a property are skipped."""
    return {name: properties[name] for name in names if name in properties}


def known(**properties: Any) -> dict[str, Any]:
    """Return the properties without those that are None or empty."""
    return {name: value for name, value in properties.items() if value not in (None, [], {}, "")}


# error codes of services for missing resources
_GONE = re.compile(r"NotFound|NoSuch|NonExistent|DoesNotExist|\.Unknown$")


def is_gone(error: ClientError) -> bool:
    """Return whether a service rejected a request because the resource does not exist."""
    return _GONE.search(error.response["Error"]["Code"]) is not None


def found(call: Callable[..., Any], **request: Any) -> Any | None:
    """Return a service's response; None if the service reports that the resource does not exist."""
    try:
        return call(**request)
    except ClientError as error:
        if is_gone(error):
            return None
        raise


def text_of(document: Any) -> str:
    """Return a document as text, which services require; CloudFormation also accepts an object."""
    return document if isinstance(document, str) else json.dumps(document)


def attributes_as_texts(properties: Properties, names: tuple[str, ...]) -> dict[str, str]:
    """Return properties as SNS and SQS attributes, which are all strings."""
    declared = only(properties, *names).items()
    return {key: str(value).lower() if isinstance(value, bool) else text_of(value) for key, value in declared}


def document_of(text: str | None) -> Any:
    """Parse a document; returns the text itself if it is not JSON."""
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return text


@dataclass(frozen=True)
class Existing:
    """A deployed resource: its physical id, its last properties and its attributes."""

    physical_id: str
    properties: Properties
    attributes: Properties


class UnreadableError(Exception):
    """The type has no drift detection."""


class Model(ABC):
    """The creation, update, deletion and reading of one resource type."""

    type: ClassVar[str]

    @abstractmethod
    def create(self, context: Context, properties: Properties) -> Created:
        """Create the resource."""

    @abstractmethod
    def delete(self, context: Context, existing: Existing) -> None:
        """Delete the resource."""

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties | Created:
        """Update the resource in place; returns the attributes afterwards.

        The provider of a custom resource can replace it instead; `update` then returns `Created`, and the
        clean-up deletes the resource with the old physical id.
        """
        raise ResourceFailedError(f"the embedded cloud does not support an update of {self.type} in place")

    def read(self, context: Context, existing: Existing) -> Properties | None:
        """Read the current properties from the service; return None if the resource is missing."""
        raise UnreadableError(f"the embedded cloud does not support drift detection of {self.type}")


def models_of(*modules: ModuleType) -> tuple[Model, ...]:
    """Return the resource types that the modules define; skip imported types and base classes."""
    return tuple(
        value()
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__ and "type" in vars(value)
    )
