"""Installation of all extensions into moto, once before its server accepts requests."""

from __future__ import annotations

from . import (
    budgets,
    capacity,
    fleet,
    functions,
    identity,
    in_use,
    kubernetes,
    network,
    nodes,
    observability,
    patch,
    predefined_ids,
    slurm,
    storage,
)
from .calls import caches, faults, unknown, untracked
from .kubernetes.eks import EksService
from .observability.grafana import GrafanaService
from .observability.prometheus import PrometheusService
from .services import play
from .slurm.pcs import PcsService

SERVICES = (EksService, GrafanaService, PcsService, PrometheusService)
_ROOMS = (capacity, kubernetes, network, nodes, observability, slurm, storage)
_EXTENSIONS = (
    *(extension for room in _ROOMS for extension in room.EXTENSIONS),
    *(budgets, fleet, functions, predefined_ids, identity, untracked),
    in_use,  # wraps operations that the other extensions add
    # these wrap every call, the last one outermost
    unknown,
    faults,
)


def install() -> None:
    """Install all extensions."""
    for extension in _EXTENSIONS:
        patch.install(extension)
    for service in SERVICES:
        play(service)
    caches.install()  # caches the operations of all extensions
