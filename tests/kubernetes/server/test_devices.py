"""Devices that pods claim, and NVLink domains, under the real Kueue and kube-scheduler."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.kubernetes.server.cluster import Cluster, cluster_of
from tests.kubernetes.server.control_plane import ControlPlane
from tests.kubernetes.server.profiles import TRAIN, design_of, profile, ultraservers

CLAIMED = profile({**TRAIN, "count": 4}, components={"devices": "dra"})


def devices_of(cluster: Cluster, job: dict[str, Any]) -> dict[str, set[str]]:
    """Return the devices that the claims of a job's pods have, by node."""
    namespace = job["metadata"]["namespace"]
    claims = {
        one["metadata"]["name"]: one
        for one in cluster.client.list("resource.k8s.io/v1", "ResourceClaim", namespace)
    }
    found = {}
    for pod in cluster.pods(job):
        (row,) = pod["status"]["resourceClaimStatuses"]
        results = claims[row["resourceClaimName"]]["status"]["allocation"]["devices"]["results"]
        assert {one["pool"] for one in results} == {pod["spec"]["nodeName"]}
        found[pod["spec"]["nodeName"]] = {f"{one['driver']}/{one['device']}" for one in results}
    return found


@pytest.mark.long
def test_eks_41_jobs_that_claim_devices_run_beside_each_other_on_nodes_of_their_own(
    plane: ControlPlane,
) -> None:
    """Kueue does not count claimed devices per node; requests for whole nodes keep jobs apart."""
    with cluster_of(plane, design_of(CLAIMED)) as cluster:
        first, second = cluster.submit("first", count=2), cluster.submit("second", count=2)
        assert len({*cluster.running(first, 2), *cluster.running(second, 2)}) == 4
        for job in (first, second):
            assert [len(devices) for devices in devices_of(cluster, job).values()] == [16, 16]
        third = cluster.submit("third", count=1)
        time.sleep(1)
        assert not cluster.is_admitted(third)
        cluster.finish(second)
        assert not {*cluster.running(third, 1)} & {*cluster.nodes(first)}


@pytest.mark.long
def test_a_job_stays_in_one_ultraserver(plane: ControlPlane) -> None:
    """Of two UltraServers with 17 nodes, the second job fits only into the other one."""
    with cluster_of(plane, design_of(ultraservers(count=34))) as cluster:
        domain = "topology.k8s.aws/ultraserver-id"
        jobs = [(cluster.submit(f"block-{count}", count=count), count) for count in (12, 16, 5)]
        for job, count in jobs:
            assert len(cluster.switches(cluster.running(job, count), domain)) == 1
