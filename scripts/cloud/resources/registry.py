"""Every resource type that the embedded cloud can make. A type that is not here fails its stack."""

from __future__ import annotations

from collections.abc import Mapping

from scripts.cloudformation.custom_types import is_custom
from scripts.cloudformation.errors import ResourceFailedError

from . import (
    budgets,
    cdk,
    cloudwatch,
    custom,
    ec2_compute,
    ec2_gateways,
    ec2_network,
    ec2_security,
    ecr,
    eks,
    eks_access,
    events,
    functions,
    grafana,
    iam,
    iam_federation,
    kms,
    logs,
    pcs,
    prometheus,
    prometheus_scrapers,
    rds,
    resource_groups,
    s3,
    s3_express,
    sagemaker,
    secretsmanager,
    sns,
    sqs,
    ssm,
    storage,
    waiting,
)
from .base import Model

_MODULES = (
    budgets,
    cdk,
    cloudwatch,
    ec2_compute,
    ec2_gateways,
    ec2_network,
    ec2_security,
    ecr,
    eks,
    eks_access,
    events,
    functions,
    grafana,
    iam,
    iam_federation,
    kms,
    logs,
    pcs,
    prometheus,
    prometheus_scrapers,
    rds,
    resource_groups,
    s3,
    s3_express,
    sagemaker,
    secretsmanager,
    sns,
    sqs,
    ssm,
    storage,
    waiting,
)
_MODELS: Mapping[str, Model] = {model.type: model for module in _MODULES for model in module.MODELS}


def model_of(resource_type: str) -> Model:
    """The model of a type; raises with the type's name for one that is not modelled."""
    if is_custom(resource_type):
        return custom.CustomResource(resource_type)
    if resource_type not in _MODELS:
        raise ResourceFailedError(
            f"Unrecognized resource type {resource_type}: the embedded cloud has no model of it"
        )
    return _MODELS[resource_type]


def modelled_types() -> list[str]:
    """The names of all types that can be deployed."""
    return sorted(_MODELS)
