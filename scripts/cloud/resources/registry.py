"""All resource types that the embedded cloud supports. An unknown type fails its stack."""

from __future__ import annotations

from collections.abc import Mapping

from scripts.cloud.template.custom_types import is_custom
from scripts.cloud.template.errors import ResourceFailedError

from . import (
    access,
    budgets,
    capacity,
    cdk,
    custom,
    functions,
    kubernetes,
    network,
    nodes,
    observability,
    slurm,
    storage,
    waiting,
)
from .base import Model, models_of

_ROOMS = (access, capacity, kubernetes, network, nodes, observability, slurm, storage)
_MODELS: Mapping[str, Model] = {
    model.type: model
    for models in (*(room.MODELS for room in _ROOMS), models_of(budgets, cdk, functions, waiting))
    for model in models
}


def model_of(resource_type: str) -> Model:
    """Return the model of a type; raises ResourceFailedError if the type is not supported."""
    if is_custom(resource_type):
        return custom.CustomResource(resource_type)
    if resource_type not in _MODELS:
        raise ResourceFailedError(
            f"Unrecognized resource type {resource_type}: the embedded cloud has no model of it"
        )
    return _MODELS[resource_type]


def modelled_types() -> list[str]:
    """Return the names of all supported types."""
    return sorted(_MODELS)
