"""Tools that are not in the project's own environment: made on demand, required in continuous integration."""

from __future__ import annotations

import pytest

from tests.programs import lacks
from tests.slurm.parallelcluster.cases import MISTAKES, account_state, comparisons
from tests.slurm.parallelcluster.package.queries import Answers, PclusterMissingError, ask


@pytest.fixture(scope="session")
def pcluster() -> Answers:
    """What ParallelCluster says to everything that is asked: one run of the package for all tests."""
    questions = [asked for asked, _ in comparisons().values()]
    try:
        return ask(account_state(), [*questions, *MISTAKES.values()])
    except PclusterMissingError as error:
        lacks(str(error))
