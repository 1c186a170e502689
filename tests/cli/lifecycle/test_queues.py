"""Every kind of queue is held without ending what runs, and goes back to what it was."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from scripts.cli.lifecycle.kubernetes import KubernetesScheduler
from scripts.cli.lifecycle.kubernetes_queues import HELD
from scripts.cli.lifecycle.scheduler import EVERYTHING
from scripts.cloud.local import local_cloud
from scripts.cloud.simulation.kubernetes import merged
from tests.cli.lifecycle.deployed import DeployedCluster, profile_of
from tests.cloud.sandbox import REGION, Sandbox

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

KINDS: dict[str, dict[str, Any]] = {
    "volcano": {"kind": "eks", "scheduler": "volcano"},
    "kai": {"kind": "eks", "scheduler": "kai"},
    "governed": {
        "kind": "hyperpod-eks",
        "task_governance": {
            "priority_classes": [{"name": "training", "weight": 90}],
            "teams": [
                {
                    "name": "research",
                    "fair_share_weight": 60,
                    "quotas": [{"instance_type": "p5.48xlarge", "nodes": 2}],
                }
            ],
        },
    },
}


@pytest.fixture(scope="module", params=sorted(KINDS))
def deployed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DeployedCluster]:
    with local_cloud() as cloud:
        declared = KINDS[request.param]
        profile = profile_of(declared["kind"], orchestrator=declared)
        cluster = DeployedCluster(Sandbox(cloud, tmp_path_factory.mktemp("queues")), profile)
        cluster.scheduler.release(EVERYTHING)  # queues of task governance are there once somebody has looked
        yield cluster


def objects_of(cluster: DeployedCluster) -> dict[Any, Any]:
    return deepcopy(cluster.sandbox.cloud.kubernetes(REGION, cluster.cluster_name).objects)


@pytest.mark.sample(1)
def test_a_queue_that_is_held_starts_nothing_and_goes_back_to_what_it_was(deployed: DeployedCluster) -> None:
    cluster, before = deployed, objects_of(deployed)
    running, waiting = cluster.submit(duration_s=None), cluster.submit("next", after_s=60)
    held = cluster.scheduler.hold(EVERYTHING)
    assert held
    assert not [one for one in held if one.startswith("node ")], "the pods of what runs may start again"
    assert cluster.scheduler.hold(EVERYTHING) == ()
    cluster.simulation.advance(600)
    assert (running.is_running, waiting.started_at) == (True, None)
    assert cluster.scheduler.release(EVERYTHING) == held
    cluster.simulation.advance(60)
    assert waiting.started_at is not None
    after = objects_of(cluster)
    assert {key: one["spec"] for key, one in after.items() if "spec" in one} == {
        key: one["spec"] for key, one in before.items() if "spec" in one
    }
    cluster.scheduler.cancel(EVERYTHING)
    assert not cluster.scheduler.running(EVERYTHING)
    cluster.scheduler.release(EVERYTHING)


class Pools:
    """An API that has Karpenter's pools and nodes, and no queues."""

    def __init__(self, limits: dict[str, Any] | None) -> None:
        spec = {"limits": limits} if limits is not None else {}
        self.pool: dict[str, Any] = {"metadata": {"name": "train"}, "spec": spec}
        self.node: dict[str, Any] = {
            "metadata": {"name": "n1", "labels": {"ultracluster/group": "train"}},
            "spec": {},
        }

    def request(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        if path.startswith("/apis/karpenter.sh/v1/nodepools"):
            if method == "PATCH":
                self.pool = merged(self.pool, body)
            return 200, {"items": [self.pool]}
        if path.startswith("/api/v1/nodes"):
            if method == "PATCH":
                self.node = merged(self.node, body)
            return 200, {"items": [self.node]}
        return 404, {"message": "not found"}


@pytest.mark.parametrize("limits", [None, {}, {"cpu": "1000"}, {"nvidia.com/gpu": "64"}])
def test_a_pool_of_karpenter_makes_no_nodes_while_it_is_held(limits: dict[str, Any] | None) -> None:
    api = Pools(limits)
    before = dict(api.pool["spec"].get("limits") or {})
    scheduler = KubernetesScheduler(api, "mine", REGION, ("train",))
    # a pool takes in no jobs: without a queue it is the nodes that are held
    assert scheduler.hold(EVERYTHING) == ("node pool train", "node n1")
    assert api.pool["spec"]["limits"]["cpu"] == "0"
    assert api.node["spec"] == {"unschedulable": True}
    assert scheduler.hold(EVERYTHING) == ()
    assert scheduler.release(EVERYTHING) == ("node pool train", "node n1")
    assert (api.pool["spec"].get("limits") or {}) == before
    assert HELD not in api.pool["metadata"].get("annotations", {})
    assert api.node["spec"] == {}
    assert scheduler.release(EVERYTHING) == ()
