"""What a resource type must be able to do, and what it is given to do it with."""

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
    """What a creation gives back: the physical id (`Ref`) and the attributes (`Fn::GetAtt`)."""

    physical_id: str
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Context:
    """Where a resource lives. `client` gives a boto3 client of the stack's account and Region."""

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
        """Say what a failure leaves: the rollback changes it back if it has the old id, else deletes it."""
        self.left.append(left)

    def claim(self, physical_id: str, **attributes: Any) -> None:
        """Say that the resource exists, before its settings are made: should one fail, it is deleted."""
        self.claimed.append(Created(physical_id, attributes))

    def generated_name(self, limit: int = 64, *, lower: bool = False) -> str:
        """A name for a resource that was given none; stable for one generation of the resource."""
        seed = f"{self.stack_id}/{self.logical_id}/{self.generation}"
        suffix = hashlib.sha256(seed.encode()).hexdigest()[:12]
        name = f"{self.stack_name}-{self.logical_id}"[: limit - 13].rstrip("-") + f"-{suffix}"
        return name.lower() if lower else name

    def arn(self, service: str, path: str) -> str:
        """The ARN of what is in the stack's account and Region."""
        return f"arn:aws:{service}:{self.region}:{self.account_id}:{path}"

    def tags(self, properties: Properties) -> dict[str, str]:
        """The stack's tags and the resource's own, whichever form the type writes them in."""
        return {**self.stack_tags, **tag_mapping(properties)}

    def tag_list(self, properties: Properties) -> list[dict[str, str]]:
        """The same as a list of Key and Value."""
        return [{"Key": key, "Value": value} for key, value in sorted(self.tags(properties).items())]


def from_tag_list(tags: list[Mapping[str, str]]) -> dict[str, str]:
    """Key and Value pairs as a mapping."""
    return {tag["Key"]: tag["Value"] for tag in tags}


def tag_mapping(properties: Properties) -> dict[str, str]:
    """The resource's own tags as a mapping, whichever form the type writes them in."""
    own = properties.get("Tags") or {}
    return dict(own) if isinstance(own, Mapping) else from_tag_list(own)


def only(properties: Properties, *names: str) -> dict[str, Any]:
    """The named properties that are there: most request parameters carry the property's name."""
    return {name: properties[name] for name in names if name in properties}


def known(**properties: Any) -> dict[str, Any]:
    """The properties that a service tells: nothing, an empty list or an empty text is no property."""
    return {name: value for name, value in properties.items() if value not in (None, [], {}, "")}


# how services say that there is no such thing, each in its own words
_GONE = re.compile(r"NotFound|NoSuch|NonExistent|DoesNotExist|\.Unknown$")


def is_gone(error: ClientError) -> bool:
    """Whether a service refused a request because what it names is not there."""
    return _GONE.search(error.response["Error"]["Code"]) is not None


def found(call: Callable[..., Any], **request: Any) -> Any | None:
    """What a service tells of one thing; None where it says that there is no such thing."""
    try:
        return call(**request)
    except ClientError as error:
        if is_gone(error):
            return None
        raise


def text_of(document: Any) -> str:
    """A policy or other document as services take it: CloudFormation lets it be written as an object."""
    return document if isinstance(document, str) else json.dumps(document)


def attributes_as_texts(properties: Properties, names: tuple[str, ...]) -> dict[str, str]:
    """Some properties as SNS and SQS take attributes, all of them texts."""
    stated = only(properties, *names).items()
    return {key: str(value).lower() if isinstance(value, bool) else text_of(value) for key, value in stated}


def document_of(text: str | None) -> Any:
    """The same back: an object where the text is one."""
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return text


@dataclass(frozen=True)
class Existing:
    """A resource as it stands: its id, the properties it was last given and its attributes."""

    physical_id: str
    properties: Properties
    attributes: Properties


class UnreadableError(Exception):
    """The type has no drift detection."""


class Model(ABC):
    """One resource type."""

    type: ClassVar[str]

    @abstractmethod
    def create(self, context: Context, properties: Properties) -> Created:
        """Make the resource."""

    @abstractmethod
    def delete(self, context: Context, existing: Existing) -> None:
        """Remove the resource."""

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties | Created:
        """Change in place what need not be replaced; gives the attributes afterwards.

        A type whose provider alone knows what replaces (a custom resource) gives `Created`, whose physical
        id may be another: the old resource is then deleted in the clean-up.
        """
        raise ResourceFailedError(f"the embedded cloud cannot change {self.type} in place")

    def read(self, context: Context, existing: Existing) -> Properties | None:
        """The properties as the service has them now, those that it tells; None: it is no longer there."""
        raise UnreadableError(f"the embedded cloud does not read {self.type} back")


def models_of(*modules: ModuleType) -> tuple[Model, ...]:
    """The resource types that modules define; not those that they import, nor what several share."""
    return tuple(
        value()
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__ and "type" in vars(value)
    )
