"""Add all extensions to moto; once, before its server takes requests."""

from __future__ import annotations

from . import (
    alarms,
    associations,
    buckets,
    budgets,
    call_faults,
    capacity_reservations,
    databases,
    export_queue,
    express,
    fleet,
    flow_logs,
    fsx,
    functions,
    gateways,
    given_ids,
    governance,
    hyperpod,
    identity,
    images,
    in_use,
    kept,
    logs,
    node_commands,
    placement_groups,
    pull_through,
    resource_groups,
    security_groups,
    service_quotas,
    training_plans,
    unknown_operations,
    untracked,
    zones,
)
from .eks import EksService
from .grafana import GrafanaService
from .pcs import PcsService
from .prometheus import PrometheusService
from .services import play

SERVICES = (EksService, GrafanaService, PcsService, PrometheusService)
_EXTENSIONS = (
    alarms,
    associations,
    buckets,
    budgets,
    capacity_reservations,
    databases,
    export_queue,
    express,
    fleet,
    flow_logs,
    fsx,
    functions,
    gateways,
    given_ids,
    governance,
    hyperpod,
    identity,
    images,
    logs,
    node_commands,
    placement_groups,
    pull_through,
    resource_groups,
    security_groups,
    service_quotas,
    training_plans,
    untracked,
    zones,
    in_use,  # over what the others have added
    # every call goes through these, the last one first
    unknown_operations,
    call_faults,
)


def install() -> None:
    """Add what moto lacks."""
    for extension in _EXTENSIONS:
        extension.install()
    for service in SERVICES:
        play(service)
    kept.install()  # the operations of all of them
