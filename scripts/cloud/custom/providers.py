"""Registered Python models of providers whose own code cannot run in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scripts.cloud.template.errors import ResourceFailedError

from .clock import Clock
from .environment import Environment
from .functions import Function, find_function
from .invocation import FunctionError, run_archive
from .response_url import Reply


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of a provider's function."""

    function: Function
    event: Mapping[str, Any]
    environment: Environment
    clock: Clock
    reply: Reply

    def invoke(self, arn: str, event: Mapping[str, Any]) -> Any:
        """Call another function and return its result; raises `FunctionError` if that function fails."""
        function = find_function(self.environment, arn)
        if function is None:
            raise FunctionError(f"Function not found: {arn}")
        behaviour = behaviour_of(function, self.event["ResourceType"])
        return behaviour(replace(self, function=function, event=event))


Behaviour = Callable[[Call], Any]
"""A Python function that models a Lambda function, and returns its result."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Attributes that identify a provider's function in every stack; empty attributes match anything.

    `runtime` and `description` are prefixes, and `name` is a substring; other attributes must be equal.
    """

    runtime: str = ""
    handler: str = ""
    description: str = ""
    name: str = ""
    resource_type: str = ""

    def fits(self, function: Function, resource_type: str) -> bool:
        """Return whether a function that is called for this resource type matches."""
        return (
            function.runtime.startswith(self.runtime)
            and function.description.startswith(self.description)
            and self.name in function.name
            and self.handler in ("", function.handler)
            and self.resource_type in ("", resource_type)
        )


TABLE: dict[Identity, Behaviour] = {}


def register(identity: Identity, behaviour: Behaviour) -> None:
    """Register the behaviour of a provider's function; the last registration has priority."""
    TABLE[identity] = behaviour


def behaviour_of(function: Function, resource_type: str) -> Behaviour:
    """Return the function's model, or its own code if it has no model.

    Raises ResourceFailedError if the function has no model and its code cannot run in this process.
    """
    for identity, behaviour in reversed(TABLE.items()):
        if identity.fits(function, resource_type):
            return behaviour
    if function.runtime.startswith("python") and function.code:
        return _own_code
    raise ResourceFailedError(
        f"the embedded cloud cannot run the function {function.arn} (runtime "
        f"{function.runtime or 'of a container image'}, handler {function.handler or 'unknown'}): "
        "write its handler in Python, or register a model in scripts/cloud/custom"
    )


def _own_code(call: Call) -> Any:
    return run_archive(call.function, call.event, call.environment, call.clock)
