"""ParallelCluster's own environment: created on demand, required in continuous integration."""

from __future__ import annotations

import pytest

from tests.programs import lacks
from tests.slurm.parallelcluster.cases import MISTAKES, account_state, comparisons
from tests.slurm.parallelcluster.package.queries import Answers, PclusterMissingError, ask


@pytest.fixture(scope="session")
def pcluster() -> Answers:
    """ParallelCluster's answers to all questions, from one run of the package."""
    questions = [asked for asked, _ in comparisons().values()]
    try:
        return ask(account_state(), [*questions, *MISTAKES.values()])
    except PclusterMissingError as error:
        lacks(str(error))
