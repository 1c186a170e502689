"""Create resources with predefined ids, such as networks and keys that a profile declares as existing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from moto.ec2.models import EC2Backend, amis, security_groups, subnets, vpcs
from moto.kms import models as kms
from moto.kms.models import KmsBackend
from moto.secretsmanager.utils import SecretsManagerSecretIdentifier

from .patch import add

TAG = "ultracluster:given-id"
"""Key of a tag in a create request; the tag's value becomes the id or ARN of the new resource."""

NAME = "given-"
"""Prefix of an image name that contains a predefined id, because moto ignores the tags of RegisterImage."""

_wanted: ContextVar[str | None] = ContextVar("_wanted", default=None)


def install() -> None:
    """Let the operations accept an id from a tag."""
    # moto's modules refer to the id functions by name; the default group of a new VPC keeps a random id
    for module, name, kind in (
        (vpcs, "random_vpc_id", "vpc-"),
        (subnets, "random_subnet_id", "subnet-"),
        (security_groups, "random_security_group_id", "sg-"),
        (amis, "random_ami_id", "ami-"),
        (kms, "generate_key_id", ""),
    ):
        setattr(module, name, _predefined_or(getattr(module, name), kind))
    add(
        EC2Backend,
        create_vpc=_with_predefined_id(EC2Backend.create_vpc),
        create_subnet=_with_predefined_id(EC2Backend.create_subnet),
        create_security_group=_with_predefined_id(EC2Backend.create_security_group),
        register_image=_with_predefined_id(EC2Backend.register_image),
    )
    add(KmsBackend, create_key=_with_predefined_id(KmsBackend.create_key))
    add(SecretsManagerSecretIdentifier, generate=_predefined_arn(SecretsManagerSecretIdentifier.generate))


def _predefined_arn(operation: Callable[..., str]) -> Callable[..., str]:
    def generate(self: Any, existing_ids: Any = None, tags: Any = None) -> str:
        return _predefined_id(tags) or operation(self, existing_ids, tags)

    return generate


def _predefined_or(random_id: Callable[..., str], kind: str) -> Callable[..., str]:
    def identity(*arguments: Any) -> str:
        wanted = _wanted.get() or ""
        return wanted if wanted and wanted.startswith(kind) else random_id(*arguments)

    return identity


def _with_predefined_id(operation: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(operation)

    def create(*arguments: Any, **named: Any) -> Any:
        declared = signature.bind(*arguments, **named).arguments
        token = _wanted.set(_predefined_id(declared.get("tags")) or _of_name(declared.get("name")))
        try:
            return operation(*arguments, **named)
        finally:
            _wanted.reset(token)

    return create


def _of_name(name: Any) -> str | None:
    return str(name).removeprefix(NAME) if str(name).startswith(NAME) else None


def _predefined_id(tags: Any) -> str | None:
    """Return the id in a request's tags, which are a list, a mapping, or mappings by resource type."""
    if isinstance(tags, list):
        pairs = ((tag.get("Key", tag.get("TagKey")), tag.get("Value", tag.get("TagValue"))) for tag in tags)
        return next((str(value) for key, value in pairs if key == TAG), None)
    if isinstance(tags, dict) and isinstance(tags.get(TAG), str):
        return str(tags[TAG])
    return next((of_kind[TAG] for of_kind in (tags or {}).values() if TAG in of_kind), None)
