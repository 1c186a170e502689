"""Extensions of Lambda: check that referenced resources exist, and keep one configuration of async calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.awslambda.models import LambdaBackend

from .existence import missing_network, role_exists
from .patch import adds
from .records import RefusedError

_create: Callable[..., Any] = LambdaBackend.create_function
_put_invoke: Callable[..., Any] = LambdaBackend.put_function_event_invoke_config


@adds(LambdaBackend, "create_function")
def _create_function(self: LambdaBackend, spec: dict[str, Any]) -> Any:
    network = spec.get("VpcConfig") or {}
    where = (self.account_id, self.region_name)
    missing = missing_network(*where, network.get("SubnetIds") or [], network.get("SecurityGroupIds") or [])
    if missing:
        raise RefusedError(
            "InvalidParameterValueException", f"the following resources do not exist: {', '.join(missing)}"
        )
    if not role_exists(self.account_id, spec["Role"]):
        message = "The role defined for the function cannot be assumed by Lambda."
        raise RefusedError("InvalidParameterValueException", message)
    return _create(self, spec)


@adds(LambdaBackend, "put_function_event_invoke_config")
def _put_event_invoke_config(self: LambdaBackend, function_name: str, config: dict[str, Any]) -> Any:
    """Replace the existing configuration; moto would add a second one."""
    self.get_function(function_name).event_invoke_config.clear()
    return _put_invoke(self, function_name, config)
