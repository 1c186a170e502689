"""The resource schemas of CloudFormation's providers, read from cfn-lint's data files.

The files are read directly, because the import of cfn-lint takes longer than the start of the embedded cloud.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from config.catalog.kubernetes.hyperpod_eks import hyperpod_eks

from .custom_types import custom_schema, is_custom
from .errors import ResourceFailedError

FALLBACK_REGION = "us-east-1"
_GOVERNANCE = ("AWS::SageMaker::ClusterSchedulerConfig", "AWS::SageMaker::ComputeQuota")


@lru_cache(maxsize=1)
def _folder() -> Path:
    spec = find_spec("cfnlint")
    if spec is None or spec.origin is None:
        raise ResourceFailedError("cfn-lint, which contains the resource schemas, is not installed")
    return Path(spec.origin).parent / "data" / "schemas"


@lru_cache(maxsize=32)
def _types(region: str) -> Mapping[str, str]:
    """Return the names of the schema files by resource type.

    If cfn-lint does not know the Region, return the files for us-east-1.
    """
    path = _folder() / "providers" / f"{region}.json"
    if not path.exists():
        path = _folder() / "providers" / f"{FALLBACK_REGION}.json"
    types: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    if region != FALLBACK_REGION and region in hyperpod_eks().governance_regions:
        # cfn-lint's list of this Region may lack a governance type, such as AWS::SageMaker::ComputeQuota
        types |= {name: _types(FALLBACK_REGION)[name] for name in _GOVERNANCE}
    return types


@lru_cache(maxsize=512)
def schema_of(region: str, resource_type: str) -> Mapping[str, Any]:
    """Return a type's schema; raises ResourceFailedError if the Region does not have the type."""
    if is_custom(resource_type):
        return custom_schema(resource_type)
    name = _types(region).get(resource_type)
    if name is None:
        raise ResourceFailedError(f"Unrecognized resource type {resource_type} in {region}")
    path = _folder() / "resources" / f"{name}.json"
    schema: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def known_schema(region: str, resource_type: str) -> Mapping[str, Any] | None:
    """Return a type's schema. If the Region lacks it, return that of us-east-1; None for an unknown type.

    The lists by Region are incomplete for new types, for example HyperPod's scheduler configuration.
    """
    if is_custom(resource_type):
        return custom_schema(resource_type)
    for place in (region, FALLBACK_REGION):
        if resource_type in _types(place):
            return schema_of(place, resource_type)
    return None
