"""What holds when an accepted profile is deployed, on the embedded cloud in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from config.cluster import Cluster, load_cluster
from config.design.model import Design
from scripts.bench.deployment import deploy
from scripts.cloud.local import LocalCloud, local_cloud
from scripts.fuzz.finding import Finding
from scripts.fuzz.templates import template_of
from scripts.rehearsal.errors import RehearsalError
from scripts.rehearsal.given import make_network

_HOLDS = "an accepted profile deploys and is deleted"


def check_deployment(cluster: Cluster, text: str, base: Path, out: Path) -> Iterator[Finding]:
    """Deploy a template, after what it stands on, and delete it; raises where the cloud has no such zone."""
    assert cluster.design is not None
    with local_cloud() as local:
        if cluster.data_profile is not None:
            ground = load_cluster(cluster.data_profile, base=base)
            yield from _deployed(local, ground, template_of(ground, out / "ground"))
        yield from _deployed(local, cluster, text)
        yield from _deleted(local, cluster)


def _deployed(local: LocalCloud, cluster: Cluster, text: str) -> Iterator[Finding]:
    assert cluster.design is not None
    region, name = cluster.design.profile.region, cluster.design.profile.name
    make_network(local.client("ec2", region), cluster.design.profile)
    _make_buckets(local, cluster.design)
    status = deploy(local, text, region, name)
    if status != "CREATE_COMPLETE":
        stack = local.backend(region).stack(name)
        reasons = [f"{e.logical_id}: {e.reason}" for e in stack.events if "FAILED" in e.status]
        if any("knows no zone" in reason or "parameter availabilityZone" in reason for reason in reasons):
            raise RehearsalError(reasons[0])
        yield Finding(_HOLDS, f"{status}: {'; '.join(reasons)[:500]}")


def _make_buckets(local: LocalCloud, design: Design) -> None:
    """The buckets that the profile says exist."""
    named = {link.bucket for link in design.lustre.repositories if link.bucket} if design.lustre else set()
    region = design.profile.region
    place = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
    for name in sorted(named):
        local.client("s3", region).create_bucket(Bucket=name, **place)


def _deleted(local: LocalCloud, cluster: Cluster) -> Iterator[Finding]:
    assert cluster.design is not None
    backend = local.backend(cluster.design.profile.region)
    stack = backend.stack(cluster.design.profile.name)
    stack.protected = False
    backend.delete(stack)
    if stack.status != "DELETE_COMPLETE":
        reasons = [f"{e.logical_id}: {e.reason}" for e in stack.events if e.status == "DELETE_FAILED"]
        yield Finding(_HOLDS, f"{stack.status}: {'; '.join(reasons)[:500]}")
