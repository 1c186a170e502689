"""Tools that are not in the project's own environment: made on demand, required in continuous integration."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

from scripts.pcluster.ask import Answers, PclusterMissingError, ask
from tests.tools.pcluster_cases import MISTAKES, comparisons, world


def lacks(reason: str) -> NoReturn:
    """Skip with that reason; where the tools are required, fail with it."""
    if os.environ.get("CI") or os.environ.get("ULTRACLUSTER_REQUIRE_TOOLS"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def pcluster() -> Answers:
    """What ParallelCluster says to everything that is asked: one run of the package for all tests."""
    questions = [asked for asked, _ in comparisons().values()]
    try:
        return ask(world(), [*questions, *MISTAKES.values()])
    except PclusterMissingError as error:
        lacks(str(error))
