"""Add all extensions to moto; once, before its server takes requests."""

from __future__ import annotations

from . import (
    budgets,
    capacity,
    fleet,
    functions,
    given_ids,
    identity,
    in_use,
    kubernetes,
    network,
    nodes,
    observability,
    patch,
    slurm,
    storage,
)
from .calls import faults, kept, unknown, untracked
from .kubernetes.eks import EksService
from .observability.grafana import GrafanaService
from .observability.prometheus import PrometheusService
from .services import play
from .slurm.pcs import PcsService

SERVICES = (EksService, GrafanaService, PcsService, PrometheusService)
_ROOMS = (capacity, kubernetes, network, nodes, observability, slurm, storage)
_EXTENSIONS = (
    *(extension for room in _ROOMS for extension in room.EXTENSIONS),
    *(budgets, fleet, functions, given_ids, identity, untracked),
    in_use,  # over what the others have added
    # every call goes through these, the last one first
    unknown,
    faults,
)


def install() -> None:
    """Add what moto lacks."""
    for extension in _EXTENSIONS:
        patch.install(extension)
    for service in SERVICES:
        play(service)
    kept.install()  # the operations of all of them
