"""Worlds that tests change: each made once, and copied."""

from __future__ import annotations

import functools

import pytest

from tests.proof.corpus import VARIANTS, Load, Tried, World, variant, world_of


@pytest.fixture(scope="session")
def worlds(tried: Tried, tmp_path_factory: pytest.TempPathFactory) -> Load:
    """The world of a built-in profile under a control plane, or of a variant; a copy for each caller."""
    folder = tmp_path_factory.mktemp("variants")

    @functools.cache
    def made(name: str, orchestrator: str | None) -> World:
        given = variant(name, folder) if name in VARIANTS else name
        return world_of(given, orchestrator, tried)

    def load(name: str, orchestrator: str | None = None) -> World:
        return made(name, orchestrator).copy()

    return load
