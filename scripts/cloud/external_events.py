"""External events of an embedded cloud: purchased reservations and failed instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .extensions import calendar
from .extensions.capacity.reservations import buy_block
from .extensions.capacity.training_plans import buy_plan
from .extensions.fleet import fail_machine
from .extensions.kubernetes.hyperpod import fail_node

_FAULT = "Xid 79: GPU has fallen off the bus"


def fail_instance(account: str, region: str, instance_id: str, fault: str = _FAULT) -> bool:
    """Let an instance fail; returns False if no instance has that id."""
    return fail_node(account, region, instance_id, fault) or fail_machine(account, region, instance_id, fault)


def buy_reservation(account: str, region: str, wanted: Mapping[str, Any]) -> str:
    """Buy a Capacity Block or, with a `name`, a training plan; returns its id or ARN."""
    terms: dict[str, Any] = {
        "instance_type": wanted["instance_type"],
        "instances": int(wanted["instances"]),
        "zone_id": wanted["zone_id"],
        "start": calendar.as_moment(wanted["start"]),
        "end": calendar.as_moment(wanted["end"]),
    }
    if name := wanted.get("name"):
        terms["instance_type"] = f"ml.{terms['instance_type'].removeprefix('ml.')}"
        return buy_plan(account, region, name, **terms)
    return buy_block(account, region, **terms)
