"""Profiles as users write them, and the stacks that storage is looked at in."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
import yaml

from config.cluster import load_cluster
from config.design.model import Design
from tests.conftest import Synthesized
from tests.storage.failures.storages import PROFILES


@pytest.fixture(scope="session")
def given_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """What names a profile to ultracluster: a built-in one's name, or the file of one of PROFILES."""

    @functools.cache
    def written(name: str) -> str:
        if name not in PROFILES:
            return name
        file = tmp_path_factory.mktemp("storages") / f"{name}.yaml"
        file.write_text(yaml.safe_dump(PROFILES[name]()), encoding="utf-8")
        return str(file)

    return written


@pytest.fixture(scope="session")
def stack_of(
    synthesized: Callable[[str], Synthesized], given_of: Callable[[str], str]
) -> Callable[[str], Synthesized]:
    """The stack of a built-in profile, or of one of PROFILES, each made once."""
    return lambda name: synthesized(given_of(name))


@pytest.fixture(scope="session")
def design_of(given_of: Callable[[str], str]) -> Callable[[str], Design]:
    """The design of the same profile."""

    @functools.cache
    def loaded(name: str) -> Design:
        design = load_cluster(given_of(name)).design
        assert design is not None
        return design

    return loaded
