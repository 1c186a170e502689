"""Every resource type that the embedded cloud can make. A type that is not here fails its stack."""

from __future__ import annotations

from collections.abc import Mapping

from scripts.cloud.template.custom_types import is_custom
from scripts.cloud.template.errors import ResourceFailedError

from . import budgets, cdk, custom, functions, waiting
from .access import iam, iam_federation, kms, secretsmanager
from .base import Model
from .capacity import compute as ec2_compute
from .capacity import resource_groups
from .kubernetes import eks, eks_access
from .kubernetes import hyperpod as sagemaker
from .network import gateways as ec2_gateways
from .network import security_groups as ec2_security
from .network import vpc as ec2_network
from .nodes import ecr, ssm
from .observability import cloudwatch, events, grafana, logs, prometheus, prometheus_scrapers, sns, sqs
from .slurm import pcs, rds
from .storage import fsx as storage
from .storage import s3, s3_express

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
