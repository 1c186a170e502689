"""Every built-in profile under a Kubernetes control plane: deployed, looked at from inside, and deleted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from app import synthesize
from config.cluster import Cluster, load_cluster
from config.profile.source.reference import built_in_names
from scripts.cloud.assets import put_assets
from scripts.cloud.engine.stack import Stack
from scripts.cloud.kubernetes.contents import Contents
from scripts.cloud.kubernetes.schemas import Object, custom_schema, fault_of, is_own
from scripts.cloud.local import LocalCloud, local_cloud
from tests.cloud.inventory import inventory
from tests.cloud.sandbox import explained

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

KINDS = ("eks", "hyperpod-eks")
REFUSED = {
    ("p5e", "eks"): "CAP002",
    ("p6-b200-cluster", "eks"): "CAP002",
    ("p6e-gb200", "eks"): "CAP002",
    ("p6-b200-data", "eks"): "PRO022",
    ("p6-b200-data", "hyperpod-eks"): "PRO022",
}
"""A training plan is HyperPod's alone; a data profile has no control plane."""

BLOCK = {
    "kind": "capacity-block", "reservation_id": "cr-0123456789abcdef0", "ultraserver": "u-p6e-gb200x72",
}  # fmt: skip
PLAN = {
    "kind": "training-plan", "ultraserver": "u-p6e-gb200x72", "availability_zone_id": "use1-dfw2-az1",
    "arn": "arn:aws:sagemaker:us-east-1:123456789012:training-plan/example",
}  # fmt: skip
SYSTEM = {"name": "system", "role": "system", "instance_type": "m6i.4xlarge", "count": 2}
QUEUES = {
    "kueue": ("kueue", ("Topology", "ResourceFlavor", "ClusterQueue", "LocalQueue", "WorkloadPriorityClass")),
    "volcano": ("volcano", ("Queue",)),
    "kai": ("kai-scheduler", ("Topology", "Queue")),
}
"""The release of each scheduler, and its own objects; Volcano finds its HyperNodes itself."""


@dataclass(frozen=True, kw_only=True)
class Deployed:
    """A profile that was deployed and deleted: its cluster as it was, and what became of everything."""

    template: Mapping[str, Any]
    objects: tuple[Object, ...]
    version: str
    contents: Contents
    stack: Stack
    made: list[str]
    deleted: list[str]
    left: set[str]
    kept: set[str]

    def ids(self, kind: str) -> list[str]:
        """Logical ids of the resources of a type."""
        return [key for key, one in self.template["Resources"].items() if one["Type"] == kind]


def prepared(cloud: LocalCloud, cluster: Cluster, folder: Path) -> str:
    """The template of a profile, whose assets are where it looks for them."""
    assert cluster.design is not None, [d.message for d in cluster.diagnostics if d.stops]
    profile = cluster.design.profile
    out = folder / f"assembly-{profile.name}"
    synthesize(cluster, outdir=str(out))
    put_assets(cloud, profile.region, out)
    return (out / f"{profile.name}.template.json").read_text(encoding="utf-8")


def put(cloud: LocalCloud, cluster: Cluster, text: str) -> Stack:
    assert cluster.design is not None
    profile = cluster.design.profile
    stack: Stack = cloud.deploy(profile.region, profile.name, text)
    assert stack.status == "CREATE_COMPLETE", explained(stack)
    return stack


def there_and_back(cluster: Cluster, folder: Path) -> Deployed:
    """Deploy a profile, with the data profile that it stands on, and delete it."""
    design = cluster.design
    assert design is not None
    assert design.eks is not None
    region = design.profile.region
    with local_cloud() as cloud:
        cloud.bootstrap(region)
        if design.data_profile is not None:
            data = load_cluster(design.data_profile.name)
            put(cloud, data, prepared(cloud, data, folder))
        text = prepared(cloud, cluster, folder)
        before = inventory(cloud, region)
        stack = put(cloud, cluster, text)
        contents = cloud.kubernetes(region, design.eks.cluster_name)
        objects, since = tuple(contents.objects.values()), len(stack.events)
        cloud.backend(region).delete(stack)
        assert stack.status == "DELETE_COMPLETE", explained(stack)
        events = stack.events[since:]
        return Deployed(
            template=json.loads(text),
            objects=objects,
            version=design.eks.control_plane.kubernetes_version,
            contents=contents,
            stack=stack,
            made=[e.logical_id for e in stack.events[:since] if e.status == "CREATE_COMPLETE"],
            deleted=[e.logical_id for e in events if e.status == "DELETE_COMPLETE"],
            left=inventory(cloud, region) - before,
            kept={e.physical_id or "" for e in events if e.status == "DELETE_SKIPPED"},
        )


def assert_every_object_is_valid(found: Deployed) -> None:
    """Whether a cluster of this version takes each: by Kubernetes' schemas, or by its definition's."""
    assert found.objects
    for one in found.objects:
        assert fault_of(one, found.version) is None
        assert is_own(one) or custom_schema(one["apiVersion"], one["kind"]), one["kind"]


def assert_a_scheduler_comes_before_its_queues(found: Deployed, scheduler: str) -> None:
    release, kinds = QUEUES[scheduler]
    order = found.contents.order()
    known = [f"{one['kind']} {one['metadata']['name']}" for one in found.objects if one["kind"] in kinds]
    assert known
    for name in known:
        assert order.index(f"install {release}") < order.index(f"apply {name}")
        assert order.index(f"delete {name}") < order.index(f"uninstall {release}")


def assert_the_chart_comes_before_the_nodes_of_hyperpod(found: Deployed) -> None:
    (nodes,) = found.ids("AWS::SageMaker::Cluster")
    (chart,) = [key for key in found.ids("Custom::AWSCDK-EKS-HelmChart") if "hyperpoddependencies" in key]
    assert found.made.index(chart) < found.made.index(nodes)
    assert found.deleted.index(nodes) < found.deleted.index(chart)


def assert_nothing_is_left_but_what_is_retained(found: Deployed) -> None:
    assert found.contents.objects == {}
    assert found.contents.releases == {}
    # no definition went before what it defines
    assert [event for event in found.contents.history if event.verb == "lost"] == []
    retained = {
        key
        for key, one in found.template["Resources"].items()
        if one.get("DeletionPolicy") in ("Retain", "RetainExceptOnCreate")
    }
    assert set(found.deleted) | retained >= set(found.template["Resources"])
    # rules and routes are parts of groups and tables, which are looked at
    left = {thing for thing in found.left if not thing.startswith(("rule/", "route/"))}
    assert {thing for thing in left if thing.partition("/")[2] not in found.kept} == set()


def assert_done(found: Deployed, scheduler: str, kind: str) -> None:
    assert_every_object_is_valid(found)
    assert_a_scheduler_comes_before_its_queues(found, scheduler)
    assert_nothing_is_left_but_what_is_retained(found)
    if kind == "hyperpod-eks":
        assert_the_chart_comes_before_the_nodes_of_hyperpod(found)


def built_in() -> Iterator[Any]:
    quick = ("p5-dev", "eks")
    for case in product(built_in_names(), KINDS):
        if case not in REFUSED:
            yield pytest.param(*case, marks=() if case == quick else pytest.mark.long)


@pytest.mark.parametrize(("name", "kind"), [*built_in()])
def test_a_built_in_profile_deploys_and_nothing_is_left_of_it(name: str, kind: str, tmp_path: Path) -> None:
    assert_done(there_and_back(load_cluster(name, orchestrator=kind), tmp_path), "kueue", kind)


@pytest.mark.parametrize(("name", "kind"), [*REFUSED])
def test_a_built_in_profile_that_is_refused_is_reported_with_the_reason(name: str, kind: str) -> None:
    cluster = load_cluster(name, orchestrator=kind)
    assert cluster.design is None
    (found,) = [d for d in cluster.diagnostics if d.stops]
    assert found.code == REFUSED[name, kind]
    assert found.hint


def under(name: str, kind: str, scheduler: str, folder: Path) -> Cluster:
    """A built-in profile under a scheduler, with capacity that the control plane takes."""
    train: dict[str, Any] = {"name": "train", "role": "compute"}
    if name == "p6e-gb200":
        capacity = BLOCK if kind == "eks" else PLAN
        train |= {"instance_type": "p6e-gb200.36xlarge", "count": 17, "capacity": capacity}
    else:
        train |= {"instance_type": "p6-b200.48xlarge", "count": 16}
    declared = {
        "extends": name, "name": f"{name}-{scheduler}", "compute": {"groups": [SYSTEM, train]},
        "orchestrator": {"kind": kind, "scheduler": scheduler},
    }  # fmt: skip
    file = folder / "mine.yaml"
    file.write_text(json.dumps(declared), encoding="utf-8")
    return load_cluster(str(file))


def with_schedulers() -> Iterator[Any]:
    for case in product(("p6-b200", "p6e-gb200"), KINDS, QUEUES):
        yield pytest.param(*case, id="-".join(case))


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind", "scheduler"), [*with_schedulers()])
def test_each_scheduler_deploys_with_all_that_only_it_understands(
    name: str, kind: str, scheduler: str, tmp_path: Path
) -> None:
    found = there_and_back(under(name, kind, scheduler, tmp_path), tmp_path)
    assert_done(found, scheduler, kind)
    assert set(QUEUES[scheduler][1]) <= {one["kind"] for one in found.objects}
