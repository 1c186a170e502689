"""Artefacts that tests change: each made once, and copied."""

from __future__ import annotations

import functools

import pytest

from tests.proof.artefacts import VARIANTS, EditableArtefacts, Load, Tried, artefacts_of, variant


@pytest.fixture(scope="session")
def load_artefacts(tried: Tried, tmp_path_factory: pytest.TempPathFactory) -> Load:
    """The artefacts of a built-in profile under a control plane, or of a variant; a copy for each caller."""
    folder = tmp_path_factory.mktemp("variants")

    @functools.cache
    def made(name: str, orchestrator: str | None) -> EditableArtefacts:
        profile = variant(name, folder) if name in VARIANTS else name
        return artefacts_of(profile, orchestrator, tried)

    def load(name: str, orchestrator: str | None = None) -> EditableArtefacts:
        return made(name, orchestrator).copy()

    return load
