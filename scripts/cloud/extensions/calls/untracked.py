"""Memory use: moto references every model forever, for its own dashboard; these are removed."""

from __future__ import annotations

from typing import Any

from moto.core.common_models import BaseModel
from moto.s3.models import FakeKey

from scripts.cloud.extensions.patch import add


def _new(cls: type[BaseModel], *arguments: Any, **named: Any) -> BaseModel:
    return object.__new__(cls)


def install() -> None:
    """Create models without a reference; a deleted S3 object closes its file without a warning."""
    add(BaseModel, __new__=staticmethod(_new))
    add(FakeKey, __del__=FakeKey.dispose)
