"""Models that are gone are forgotten: moto keeps every one that ever was, for a page of its own."""

from __future__ import annotations

from typing import Any

from moto.core.common_models import BaseModel
from moto.s3.models import FakeKey

from scripts.cloud.extensions.patch import add


def _new(cls: type[BaseModel], *arguments: Any, **named: Any) -> BaseModel:
    return object.__new__(cls)


def install() -> None:
    """Make new models without keeping them; an S3 object that goes closes its file and does not complain."""
    add(BaseModel, __new__=staticmethod(_new))
    add(FakeKey, __del__=FakeKey.dispose)
