"""What moto works out again for every call and every key, though it is always the same: kept.

The names of a service's operations take an eighth of a deployment otherwise, and a pair of RSA keys for a
symmetric key, which never signs, as long as a whole small stack.
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
    """Keep both; after every other extension has added its operations."""
    setattr(responses, "method_names_from_class", _operations)  # noqa: B010  # a name of moto's own
    setattr(models, "generate_private_key", _private_key)  # noqa: B010
