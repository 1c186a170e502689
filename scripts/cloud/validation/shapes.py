"""The services' API models that botocore ships, and their shapes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

Shape = Mapping[str, Any]


@lru_cache(maxsize=32)
def model_of(service: str) -> Mapping[str, Mapping[str, Shape]]:
    """Return the newest API model of a service, without models in AWS_DATA_PATH or ~/.aws."""
    # imported here: a review that does not compare requests does not need it
    from botocore.loaders import Loader

    loader = Loader(extra_search_paths=[Loader.BUILTIN_DATA_PATH], include_default_search_paths=False)
    model: Mapping[str, Mapping[str, Shape]] = loader.load_service_model(service, "service-2")
    return model


def shape_named(service: str, name: str) -> Shape:
    """Return a shape of a service's model."""
    return model_of(service)["shapes"][name]
