"""Flow logs with different traffic types are different flow logs; moto treats them as equal."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from moto.ec2.models import EC2Backend

from scripts.cloud.extensions.patch import add

# set while a flow log is created: moto then searches the existing flow logs for an equal one
_creating: ContextVar[str | None] = ContextVar("_creating", default=None)


def install() -> None:
    """Compare flow logs by their traffic type in addition to moto's comparison."""
    create, describe = EC2Backend.create_flow_logs, EC2Backend.describe_flow_logs

    def create_flow_logs(self: EC2Backend, *arguments: Any, **named: Any) -> Any:
        traffic = named["traffic_type"]
        token = _creating.set(traffic)
        try:
            return create(self, *arguments, **named)
        finally:
            _creating.reset(token)

    def describe_flow_logs(self: EC2Backend, *arguments: Any, **named: Any) -> Any:
        traffic, logs = _creating.get(), describe(self, *arguments, **named)
        return logs if traffic is None else [log for log in logs if log.traffic_type == traffic]

    add(EC2Backend, create_flow_logs=create_flow_logs, describe_flow_logs=describe_flow_logs)
