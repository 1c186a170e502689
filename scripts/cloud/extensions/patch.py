"""How operations are added to moto: as methods of a service's response class, which it dispatches by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def add(target: type, **methods: Callable[..., Any]) -> None:
    """Add or replace methods of a class."""
    for name, method in methods.items():
        setattr(target, name, method)
