"""Networks that a profile says exist already: made with the ids that it states."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from moto.ec2.models import EC2Backend, subnets, vpcs

from .patch import add

TAG = "ultracluster:given-id"
"""A tag of CreateVpc and CreateSubnet; its value is the id that the new resource gets."""

_wanted: ContextVar[str | None] = ContextVar("_wanted", default=None)


def install() -> None:
    """Let the two operations take an id from a tag."""
    # moto's modules hold the makers of ids by name
    for module, name in ((vpcs, "random_vpc_id"), (subnets, "random_subnet_id")):
        setattr(module, name, _given_or(getattr(module, name)))
    add(
        EC2Backend,
        create_vpc=_with_given(EC2Backend.create_vpc),
        create_subnet=_with_given(EC2Backend.create_subnet),
    )


def _given_or(random_id: Callable[[], str]) -> Callable[[], str]:
    return lambda: _wanted.get() or random_id()


def _with_given(operation: Callable[..., Any]) -> Callable[..., Any]:
    def create(self: EC2Backend, *arguments: Any, tags: Any = None, **named: Any) -> Any:
        token = _wanted.set(_given(tags))
        try:
            return operation(self, *arguments, tags=tags, **named)
        finally:
            _wanted.reset(token)

    return create


def _given(tags: Any) -> str | None:
    """The id in a request's tags, which moto hands on as a list or by kind of resource."""
    if isinstance(tags, list):
        return next((tag["Value"] for tag in tags if tag["Key"] == TAG), None)
    return next((of_kind[TAG] for of_kind in (tags or {}).values() if TAG in of_kind), None)
