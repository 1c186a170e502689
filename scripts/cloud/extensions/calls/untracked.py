"""Save memory: moto keeps a reference to every model for its dashboard; this module prevents that."""

from __future__ import annotations

from typing import Any

from moto.core.common_models import BaseModel
from moto.s3.models import FakeKey

from scripts.cloud.extensions.patch import add


def _new(cls: type[BaseModel], *arguments: Any, **named: Any) -> BaseModel:
    return object.__new__(cls)


def install() -> None:
    """Create models without the reference; let S3 objects close their files when they are deleted."""
    add(BaseModel, __new__=staticmethod(_new))
    add(FakeKey, __del__=FakeKey.dispose)
