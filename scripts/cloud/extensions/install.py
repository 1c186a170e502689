"""Add all extensions to moto; once, before its server takes requests."""

from __future__ import annotations

from . import fsx, hyperpod, placement_groups, zones


def install() -> None:
    """Add what moto lacks."""
    for extension in (fsx, hyperpod, placement_groups, zones):
        extension.install()
