"""The services' API models, from the data files that botocore ships; read as files, each once."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Shape = Mapping[str, Any]


@lru_cache(maxsize=32)
def _model(service: str) -> Mapping[str, Any]:
    spec = find_spec("botocore")
    if spec is None or spec.origin is None:  # boto3 is a dependency: only a broken environment gets here
        raise RuntimeError("botocore, which brings the services' API models, is not installed")
    versions = sorted((Path(spec.origin).parent / "data" / service).iterdir())
    text = gzip.decompress((versions[-1] / "service-2.json.gz").read_bytes())
    model: Mapping[str, Any] = json.loads(text)
    return model


def request_shape(service: str, operation: str) -> Shape:
    """The structure that an operation takes."""
    return shape_named(service, _model(service)["operations"][operation]["input"]["shape"])


def shape_named(service: str, name: str) -> Shape:
    """A shape of a service's model."""
    shape: Shape = _model(service)["shapes"][name]
    return shape
