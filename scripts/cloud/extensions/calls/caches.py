"""Caches of values that moto computes for every call or key, although they are constant.

Without the caches, moto spends an eighth of the time of a deployment on the operation names of services. For
each symmetric key, moto also creates an unused RSA key pair; that lasts as long as a small deployment.
"""

from __future__ import annotations

from functools import cache

from moto.core import responses
from moto.core.utils import method_names_from_class
from moto.kms import models
from moto.kms.utils import AbstractPrivateKey, KeySpec, generate_private_key


@cache
def _operations(service: type) -> list[str]:
    return method_names_from_class(service)


@cache
def _shared() -> AbstractPrivateKey:
    return generate_private_key(KeySpec.SYMMETRIC_DEFAULT)


def _private_key(key_spec: str) -> AbstractPrivateKey:
    return _shared() if key_spec == KeySpec.SYMMETRIC_DEFAULT else generate_private_key(key_spec)


def install() -> None:
    """Install the caches; must run after all other extensions have added their operations."""
    setattr(responses, "method_names_from_class", _operations)  # noqa: B010  # a name of moto's own
    setattr(models, "generate_private_key", _private_key)  # noqa: B010
