"""What a cluster's nodes reach out to: every service, bucket and place, and how each is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from config.catalog import catalog
from config.profile.model import Profile
from config.profile.orchestrator import AVAILABLE

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
    kinds = {profile.orchestrator.kind} if profile.orchestrator else set(AVAILABLE)
    for name, row in sorted(catalog().endpoints.items()):
        if kinds & set(row.control_planes) and _has(row.when, profile, data):
            yield Reference(
                kind="service",
                name=name,
                what=row.what,
                reach="gateway-endpoint" if row.gateway else "interface-endpoint",
            )


def _has(part: str, profile: Profile, data: Profile | None) -> bool:
    """Whether the cluster has a part; of clusters that may attach to a data profile nobody knows, so yes."""
    if part == "always" or profile.compute is None:
        return True
    if part == "prometheus":
        return bool(profile.observability and profile.observability.prometheus)
    return any(home is not None and home.storage and home.storage.lustre for home in (profile, data))


def _buckets(profile: Profile, data: Profile | None) -> Iterator[Reference]:
    if profile.orchestrator is not None:
        yield Reference(
            kind="bucket",
            name="the bootstrap bucket of the account",
            what="scripts of the nodes, under the hash of their content",
            reach="gateway-endpoint",
        )
    homes = [home.storage.lustre for home in (profile, data) if home and home.storage and home.storage.lustre]
    for lustre in homes:
        for link in lustre.data_repositories:
            yield Reference(
                kind="bucket",
                name="a new bucket" if link.bucket == "new" else link.bucket,
                what=f"data repository of {link.path}",
                reach="gateway-endpoint",
            )


def _inside(profile: Profile, data: Profile | None) -> Iterator[Reference]:
    if any(home and home.storage and home.storage.lustre for home in (profile, data)):
        yield Reference(kind="file-system", name="Lustre", what="the file system's servers", reach="inside")
    if profile.orchestrator is not None:
        yield Reference(
            kind="instance",
            name="169.254.169.0/24",
            what="metadata, time and names of the machine itself",
            reach="inside",
        )
