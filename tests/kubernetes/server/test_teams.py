"""Teams that share nodes under the real Kueue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kubernetes.server.cluster import Cluster, cluster_of
from tests.kubernetes.server.control_plane import ControlPlane
from tests.kubernetes.server.profiles import design_of, profile

TEAMS = {
    "teams": [
        {"name": "vision", "shares": [{"group": "train", "nodes": 10, "lend": 10}]},
        {"name": "speech", "shares": [{"group": "train", "nodes": 6, "lend": 6}]},
    ]
}


@pytest.fixture(scope="module")
def two_teams(plane: ControlPlane) -> Iterator[Cluster]:
    with cluster_of(plane, design_of(profile(scheduling=TEAMS))) as found:
        yield found


@pytest.mark.long
def test_a_team_borrows_idle_nodes_and_gives_them_back(two_teams: Cluster) -> None:
    borrower = two_teams.submit("borrower", count=12, team="speech")
    two_teams.running(borrower, 12)
    owner = two_teams.submit("owner", count=10, team="vision")
    two_teams.running(owner, 10)
    assert two_teams.nodes(borrower) == []
    two_teams.finish(owner)
    two_teams.running(borrower, 12)
    two_teams.finish(borrower)
