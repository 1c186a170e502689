from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripts.cli.lifecycle.scheduler import EVERYTHING
from scripts.cloud.extensions.simulation import Simulation, use
from scripts.cloud.local import local_cloud
from tests.cli.lifecycle.deployed import ORCHESTRATORS, DeployedCluster, profile_of
from tests.cloud.sandbox import Sandbox


@pytest.fixture(scope="module", params=ORCHESTRATORS)
def deployed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DeployedCluster]:
    """A cluster of each orchestrator; tests leave it as it was."""
    with local_cloud() as cloud:
        yield DeployedCluster(Sandbox(cloud, tmp_path_factory.mktemp("life")), profile_of(request.param))


@pytest.fixture
def cluster(deployed: DeployedCluster) -> Iterator[DeployedCluster]:
    """The same with nothing on it, and nothing held."""
    before = deployed.simulation
    simulation = Simulation()
    simulation.exporting = set(before.exporting)
    deployed.sandbox.cloud.simulation = simulation
    use(simulation)
    deployed.reported.lines.clear()
    deployed.interrupt = None
    yield deployed
    simulation.private.clear()
    deployed.interrupt = None
    deployed.scheduler.release(EVERYTHING)
