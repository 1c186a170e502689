"""Registration of operations as methods of moto's response classes; moto calls an operation by its name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_ADDED: dict[str, list[tuple[type, str, Callable[..., Any]]]] = defaultdict(list)


def add(target: type, **methods: Callable[..., Any]) -> None:
    """Add or replace methods of a class."""
    for name, method in methods.items():
        setattr(target, name, method)


def adds(target: type, name: str) -> Callable[[_Function], _Function]:
    """Mark a function that becomes the method `name` of a class when its module is installed."""

    def mark(function: _Function) -> _Function:
        _ADDED[function.__module__].append((target, name, function))
        return function

    return mark


def install(module: ModuleType) -> None:
    """Add the marked functions of a module, then call the module's `install` if it has one."""
    for target, name, function in _ADDED[module.__name__]:
        setattr(target, name, function)
    if hasattr(module, "install"):
        module.install()
