"""Large clusters under the real Kueue and kube-scheduler."""

from __future__ import annotations

import pytest

from config.design.build import design
from config.design.model import Design
from tests.kubernetes.admission import LAYERS
from tests.kubernetes.server.cluster import cluster_of
from tests.kubernetes.server.control_plane import ControlPlane
from tests.kubernetes.server.profiles import TRAIN, design_of, profile

PER_GROUP = 256
PER_LEAF = 16


def grown(small: Design, count: int) -> Design:
    """Return the design with more nodes in each compute group, even if a subnet has too few addresses."""
    compute = small.profile.compute
    assert compute is not None
    groups = [
        group.model_copy(update={"count": count}) if group.role == "compute" else group
        for group in compute.groups
    ]
    larger = compute.model_copy(update={"groups": groups})
    return design(small.profile.model_copy(update={"compute": larger}))


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("groups", [1, pytest.param(8, marks=pytest.mark.long)])
def test_a_job_over_all_nodes_of_each_group_runs_on_the_closest_ones(
    groups: int, plane: ControlPlane
) -> None:
    """256 nodes, and 2,048 in eight groups: a node group of EKS has at most 450."""
    names = [f"train{n}" for n in range(groups)]
    rows = ({**TRAIN, "name": name, "count": 4} for name in names)
    small = design_of(profile(*rows, components={"training": []}))
    with cluster_of(plane, grown(small, PER_GROUP), per_leaf=PER_LEAF) as cluster:
        half = PER_GROUP // 2
        # `make test` fills one half
        parts = ("first", "second") if groups > 1 else ("first",)
        jobs = [cluster.submit(f"{part}-{name}", count=half, group=name) for name in names for part in parts]
        for job in jobs:
            found = cluster.running(job, half, patience_s=600)
            assert len(cluster.switches(found, LAYERS[3])) == half // PER_LEAF
