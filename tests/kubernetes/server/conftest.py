"""A real control plane for the tests of a worker."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.tools.kubernetes.programs import ProgramsError, build, is_built, programs_folder
from tests.conftest import shared_folder
from tests.kubernetes.server.control_plane import ControlPlane


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder of the programs; without them the tests skip, and in CI they fail."""
    if not is_built() and not os.environ.get("ULTRACLUSTER_REQUIRE_TOOLS"):
        pytest.skip("no Kubernetes programs: build them once with `make kubernetes`")
    try:
        build()
    except ProgramsError as error:
        pytest.fail(str(error))
    return programs_folder()


@pytest.fixture(scope="session")
def plane(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The control plane of this worker, which its tests share."""
    folder = shared_folder(tmp_path_factory) / f"kubernetes-{os.environ.get('PYTEST_XDIST_WORKER', 'only')}"
    found = ControlPlane(programs, folder)
    found.start()
    yield found
    found.stop()
