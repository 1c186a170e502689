"""What a cluster's nodes reach out to: every service, bucket and place, and how each is reached."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from config.catalog import catalog
from config.catalog.capacity.control_planes import ServiceEndpoint
from config.design.collector import collector_of
from config.design.storage.lustre import stated_lustre
from config.profile.model import Profile
from config.profile.observability.metrics import ExistingPrometheus, Prometheus
from config.profile.orchestrator import ORCHESTRATORS, Eks, HyperPodSlurm
from config.profile.storage.lustre import NewLustre
from config.profile.storage.tiers import Storage

Kind = Literal["service", "bucket", "file-system", "instance"]
Reach = Literal["interface-endpoint", "gateway-endpoint", "inside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One thing that nodes reach out to.

    `name` is a service by its endpoint's name (`ecr.api`), a bucket, or what is inside the VPC; `what` it is
    for; `reach` says how it is reached where there is no internet route: an interface endpoint of its own,
    the gateway endpoint of the route tables, or `inside` (addresses of the VPC and of the machine itself).
    """

    kind: Kind
    name: str
    what: str
    reach: Reach


def references_of(profile: Profile, data: Profile | None = None) -> tuple[Reference, ...]:
    """Everything that the nodes of a profile, or of clusters that attach to it, reach out to."""
    return (*_services(profile, data), *_buckets(profile, data), *_inside(profile, data))


def interface_endpoints(profile: Profile) -> tuple[str, ...]:
    """The interface endpoints that a closed network of this profile needs, by name."""
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
    """Whether nodes reach a service: for their control plane, or under any for images of their own."""
    if row.also == "images" and (_has_images(profile) or _has_images(data)):
        return True
    return bool(set(kinds) & set(row.control_planes)) and _has(row.when, profile, data)


def _has_images(profile: Profile | None) -> bool:
    images = profile.images if profile else None
    return images is not None and bool(images.repositories or images.caches)


def _has(part: str, profile: Profile, data: Profile | None) -> bool:
    """Whether the cluster has a part; of clusters that may attach to a data profile nobody knows, so yes."""
    if part == "always" or profile.compute is None:
        return True
    if part == "secret":
        slurm, wanted = profile.orchestrator, profile.observability
        accounting = isinstance(slurm, HyperPodSlurm) and slurm.accounting is not None
        directory = profile.access is not None and profile.access.directory is not None
        return accounting or directory or bool(wanted and _has_secret(wanted.prometheus))
    if part == "cloudwatch":
        # machines of HyperPod write to it, and an exporter reads what it has of file systems
        hyperpod = profile.orchestrator is not None and profile.orchestrator.kind.startswith("hyperpod")
        asked = collector_of(profile) != "none" and any(stated_lustre(home) for home in (profile, data))
        return hyperpod or asked
    if part == "karpenter":
        eks = profile.orchestrator
        return isinstance(eks, Eks) and eks.karpenter is not None
    if part == "prometheus":
        return bool(profile.observability and profile.observability.prometheus)
    return any(stated_lustre(home) or _storage_of(home).home for home in (profile, data))


def _has_secret(prometheus: Prometheus | None) -> bool:
    return isinstance(prometheus, ExistingPrometheus) and prometheus.authentication.kind == "secret"


def _storage_of(profile: Profile | None) -> Storage:
    return profile.storage if profile and profile.storage else Storage()


def _buckets(profile: Profile, data: Profile | None) -> Iterator[Reference]:
    if profile.orchestrator is not None:
        yield Reference(
            kind="bucket",
            name="the bootstrap bucket of the account",
            what="scripts of the nodes, under the hash of their content",
            reach="gateway-endpoint",
        )
    for lustre in (*stated_lustre(profile), *stated_lustre(data)):
        for link in lustre.data_repositories if isinstance(lustre, NewLustre) else ():
            yield Reference(
                kind="bucket",
                name="a new bucket" if link.bucket == "new" else link.bucket,
                what=f"data repository of {link.path}",
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
                what=f"volume {mountpoint.name} of pods",
                reach="gateway-endpoint",
            )


def _inside(profile: Profile, data: Profile | None) -> Iterator[Reference]:
    if any(_storage_of(home).home for home in (profile, data)):
        yield Reference(
            kind="file-system", name="OpenZFS", what="the server of home directories", reach="inside"
        )
    if any(stated_lustre(home) for home in (profile, data)):
        yield Reference(kind="file-system", name="Lustre", what="the file system's servers", reach="inside")
    if profile.orchestrator is not None:
        yield Reference(
            kind="instance",
            name="169.254.169.0/24",
            what="metadata, time and names of the machine itself",
            reach="inside",
        )
