"""Add all extensions to moto; once, before its server takes requests."""

from __future__ import annotations

from . import (
    buckets,
    call_faults,
    fsx,
    given_ids,
    hyperpod,
    placement_groups,
    unknown_operations,
    untracked,
    zones,
)


def install() -> None:
    """Add what moto lacks."""
    for extension in (
        buckets,
        fsx,
        given_ids,
        hyperpod,
        placement_groups,
        unknown_operations,
        call_faults,
        untracked,
        zones,
    ):
        extension.install()
