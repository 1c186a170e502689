"""Add all extensions to moto; once, before its server takes requests."""

from __future__ import annotations

from . import budgets, fleet, functions, given_ids, identity, in_use
from .calls import faults as call_faults
from .calls import kept, untracked
from .calls import unknown as unknown_operations
from .capacity import placement_groups, resource_groups, service_quotas
from .capacity import reservations as capacity_reservations
from .kubernetes import governance, hyperpod
from .kubernetes.eks import EksService
from .network import flow_logs, gateways, security_groups, zones
from .nodes import associations, images, pull_through
from .nodes import commands as node_commands
from .observability import alarms, logs
from .observability.grafana import GrafanaService
from .observability.prometheus import PrometheusService
from .services import play
from .slurm import databases
from .slurm.pcs import PcsService
from .storage import buckets, export_queue, express, fsx

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
