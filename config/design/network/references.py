"""Services, buckets and addresses that nodes connect to, and the route to each."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from config.catalog import catalog
from config.catalog.capacity.control_planes import ServiceEndpoint
from config.design.collector import collector_of
from config.design.storage.lustre import declared_lustre
from config.profile.model import Profile
from config.profile.observability.metrics import ExistingPrometheus, Prometheus
from config.profile.orchestrator import ORCHESTRATORS, Eks, HyperPodSlurm
from config.profile.storage.lustre import NewLustre
from config.profile.storage.tiers import Storage

Kind = Literal["service", "bucket", "file-system", "instance"]
Reach = Literal["interface-endpoint", "gateway-endpoint", "inside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A destination of the nodes' traffic.

    `name` is a service by its endpoint name (`ecr.api`), a bucket, or an address in the VPC. `what` is its
    purpose. `reach` is the route without internet access: an interface endpoint, a gateway endpoint, or
    `inside` (addresses of the VPC and link-local addresses of the instance).
    """

    kind: Kind
    name: str
    what: str
    reach: Reach


def references_of(profile: Profile, data: Profile | None = None) -> tuple[Reference, ...]:
    """Return all destinations that nodes of a profile, or of clusters that attach to it, connect to."""
    return (*_services(profile, data), *_buckets(profile, data), *_inside(profile, data))


def interface_endpoints(profile: Profile) -> tuple[str, ...]:
    """Return the names of the interface endpoints that a closed network of this profile needs."""
    found = references_of(profile)
    return tuple(sorted(r.name for r in found if r.reach == "interface-endpoint"))


def _services(profile: Profile, data: Profile | None) -> Iterator[Reference]:
    kinds = {profile.orchestrator.kind} if profile.orchestrator else set(ORCHESTRATORS)
    for name, row in sorted(catalog().endpoints.items()):
        if _reached(row, kinds, profile, data):
            yield Reference(
                kind="service",
                name=name,
                what=row.what,
                reach="gateway-endpoint" if row.gateway else "interface-endpoint",
            )


def _reached(row: ServiceEndpoint, kinds: Collection[str], profile: Profile, data: Profile | None) -> bool:
    """Return whether the nodes' control plane or the profile's images require a connection to the service."""
    if row.also == "images" and (_has_images(profile) or _has_images(data)):
        return True
    return bool(set(kinds) & set(row.control_planes)) and _has(row.when, profile, data)


def _has_images(profile: Profile | None) -> bool:
    images = profile.images if profile else None
    return images is not None and bool(images.repositories or images.caches)


def _has(part: str, profile: Profile, data: Profile | None) -> bool:
    """Return whether the cluster has a part; True for a data profile, whose clusters are not known."""
    if part == "always" or profile.compute is None:
        return True
    if part == "secret":
        slurm, wanted = profile.orchestrator, profile.observability
        accounting = isinstance(slurm, HyperPodSlurm) and slurm.accounting is not None
        directory = profile.access is not None and profile.access.directory is not None
        return accounting or directory or bool(wanted and _has_secret(wanted.prometheus))
    if part == "cloudwatch":
        # HyperPod nodes write to CloudWatch, and an exporter reads file system metrics from CloudWatch
        hyperpod = profile.orchestrator is not None and profile.orchestrator.kind.startswith("hyperpod")
        asked = collector_of(profile) != "none" and any(declared_lustre(home) for home in (profile, data))
        return hyperpod or asked
    if part == "karpenter":
        eks = profile.orchestrator
        return isinstance(eks, Eks) and eks.karpenter is not None
    if part == "prometheus":
        return bool(profile.observability and profile.observability.prometheus)
    return any(declared_lustre(home) or _storage_of(home).home for home in (profile, data))


def _has_secret(prometheus: Prometheus | None) -> bool:
    return isinstance(prometheus, ExistingPrometheus) and prometheus.authentication.kind == "secret"


def _storage_of(profile: Profile | None) -> Storage:
    return profile.storage if profile and profile.storage else Storage()


def _buckets(profile: Profile, data: Profile | None) -> Iterator[Reference]:
    if profile.orchestrator is not None:
        yield Reference(
            kind="bucket",
            name="the CDK bootstrap bucket of the account",
            what="lifecycle scripts of the nodes",
            reach="gateway-endpoint",
        )
    for lustre in (*declared_lustre(profile), *declared_lustre(data)):
        for link in lustre.data_repositories if isinstance(lustre, NewLustre) else ():
            yield Reference(
                kind="bucket",
                name="a new bucket" if link.bucket == "new" else link.bucket,
                what=f"data repository association of {link.path}",
                reach="gateway-endpoint",
            )

    if any(_storage_of(home).s3_express for home in (profile, data)):
        yield Reference(
            kind="bucket",
            name="the directory bucket",
            what="S3 Express One Zone, in the zone of the nodes",
            reach="gateway-endpoint",
        )
    for mountpoint in _storage_of(profile).mountpoints:
        if mountpoint.bucket != "s3-express":
            yield Reference(
                kind="bucket",
                name=mountpoint.bucket,
                what=f"pod volume {mountpoint.name}",
                reach="gateway-endpoint",
            )


def _inside(profile: Profile, data: Profile | None) -> Iterator[Reference]:
    if any(_storage_of(home).home for home in (profile, data)):
        yield Reference(kind="file-system", name="OpenZFS", what="home directories", reach="inside")
    if any(declared_lustre(home) for home in (profile, data)):
        yield Reference(kind="file-system", name="Lustre", what="Lustre file systems", reach="inside")
    if profile.orchestrator is not None:
        yield Reference(
            kind="instance",
            name="169.254.169.0/24",
            what="instance metadata, time service and DNS",
            reach="inside",
        )
