"""Container images of a profile: names of repositories and caches, and images that nodes may pull."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from config.catalog.registries import Upstream, registries
from config.profile.images import ImageCache, ImageRepository
from config.profile.model import Profile

_DOCKER = "docker-hub"
_OFFICIAL = "library/"
"""Docker Hub's folder of official images; the image path in a pull-through cache must contain it."""

_DEFAULT_TAG = "latest"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryPlan:
    """A repository: `declared` is its name in the profile, `name` its name in ECR.

    `made`: the stack creates it. `lifecycle`: its lifecycle policy, or None.
    """

    declared: str
    name: str
    made: bool
    immutable: bool
    moving_tags: tuple[str, ...]
    scan_on_push: bool
    lifecycle: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePlan:
    """A pull-through cache: images of the registry `host` are under `prefix`.

    `url` is the upstream registry URL for ECR. `lifecycle` is the lifecycle policy of the repositories under
    the prefix, or None. `made`: the stack creates the cache.
    """

    upstream: str
    host: str
    url: str
    prefix: str
    made: bool
    secret_arn: str | None
    lifecycle: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagesPlan:
    """The repositories and caches of a profile, ordered by name."""

    repositories: tuple[RepositoryPlan, ...]
    caches: tuple[CachePlan, ...]
    key_arn: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledImages:
    """Repositories and caches of the profile, followed by those of its data profile."""

    repositories: tuple[RepositoryPlan, ...]
    caches: tuple[CachePlan, ...]

    @property
    def repository_names(self) -> tuple[str, ...]:
        """ECR names of the repositories."""
        return tuple(sorted(repository.name for repository in self.repositories))

    @property
    def cache_prefixes(self) -> tuple[str, ...]:
        """Prefixes of the cached repositories, without the slash."""
        return tuple(sorted(cache.prefix for cache in self.caches))


def plan_images(profile: Profile | None) -> ImagesPlan | None:
    """Return the repositories and caches of a profile; None if it has none."""
    declared = profile.images if profile else None
    if profile is None or declared is None or not (declared.repositories or declared.caches):
        return None
    repositories = {one.name: _repository(profile.name, one) for one in reversed(declared.repositories)}
    caches = {prefix_of(profile.name, one): _cache(profile.name, one) for one in reversed(declared.caches)}
    return ImagesPlan(
        repositories=tuple(repositories[name] for name in sorted(repositories)),
        caches=tuple(caches[prefix] for prefix in sorted(caches)),
        key_arn=declared.key_arn,
    )


def plan_pulled(*plans: ImagesPlan | None) -> PulledImages | None:
    """Return the repositories and caches of several profiles; None if there are none."""
    there = [plan for plan in plans if plan is not None]
    if not there:
        return None
    return PulledImages(
        repositories=tuple(repository for plan in there for repository in plan.repositories),
        caches=tuple(cache for plan in there for cache in plan.caches),
    )


def prefix_of(profile: str, cache: ImageCache) -> str:
    """Return the prefix of a cache's repositories."""
    return cache.prefix or f"{profile}/{registries().upstreams[cache.upstream].short}"


def upstream_of(cache: ImageCache) -> Upstream:
    """Return the upstream registry of a cache."""
    return registries().upstreams[cache.upstream]


def _repository(profile: str, declared: ImageRepository) -> RepositoryPlan:
    return RepositoryPlan(
        declared=declared.name,
        name=declared.existing or f"{profile}/{declared.name}",
        made=declared.existing is None,
        immutable=declared.immutable_tags,
        moving_tags=tuple(sorted(set(declared.moving_tags))),
        scan_on_push=declared.scan_on_push,
        lifecycle=_lifecycle(declared.expire_untagged_days, declared.keep_images),
    )


def _cache(profile: str, declared: ImageCache) -> CachePlan:
    upstream, prefix = upstream_of(declared), prefix_of(profile, declared)
    url = upstream.url or declared.host or upstream.host
    return CachePlan(
        upstream=declared.upstream,
        host=declared.host or upstream.host,
        url=url,
        prefix=prefix,
        made=not declared.existing,
        secret_arn=declared.secret_arn,
        lifecycle=_lifecycle(declared.expire_untagged_days, None),
    )


def _lifecycle(untagged_days: int, keep: int | None) -> str | None:
    """Return an ECR lifecycle policy, or None without rules.

    Source: https://docs.aws.amazon.com/AmazonECR/latest/userguide/lifecycle_policy_parameters.html.
    """
    rules = list(_rules(untagged_days, keep))
    if not rules:
        return None
    numbered = [
        {"rulePriority": number, "description": what, "selection": selection, "action": {"type": "expire"}}
        for number, (what, selection) in enumerate(rules, 1)
    ]
    return json.dumps({"rules": numbered}, separators=(",", ":"))


def _rules(untagged_days: int, keep: int | None) -> Iterator[tuple[str, dict[str, object]]]:
    if untagged_days:
        yield (
            f"images without a tag, after {untagged_days} days",
            {
                "tagStatus": "untagged",
                "countType": "sinceImagePushed",
                "countUnit": "days",
                "countNumber": untagged_days,
            },
        )
    if keep is not None:
        yield (
            f"all but the newest {keep} images",
            {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": keep},
        )


def resolved(pulled: PulledImages | None, image: str) -> str | None:
    """Return the ECR path of an image with its tag or digest; None for an image of another registry.

    The image is a repository name of the profile, with or without a tag (`train:v7`), or an image of a cached
    registry under its usual name (`docker.io/rocm/pytorch:latest`, `ghcr.io/team/eval:3`).
    """
    path, mark = _split(image)
    for repository in pulled.repositories if pulled else ():
        if path in (repository.declared, repository.name):
            return repository.name + (mark or f":{_DEFAULT_TAG}")
    for cache in pulled.caches if pulled else ():
        if path.startswith(f"{cache.host}/"):
            rest = path.removeprefix(f"{cache.host}/")
            official = _OFFICIAL if cache.upstream == _DOCKER and "/" not in rest else ""
            return f"{cache.prefix}/{official}{rest}{mark or f':{_DEFAULT_TAG}'}"
    return None


def _split(image: str) -> tuple[str, str]:
    """Split an image into its path and its tag or digest; a colon before the last slash belongs to a port."""
    path, at, digest = image.partition("@")
    if at:
        return path.rpartition(":")[0] if ":" in path.rpartition("/")[2] else path, f"@{digest}"
    folder, slash, last = path.rpartition("/")
    name, colon, tag = last.partition(":")
    return f"{folder}{slash}{name}", f"{colon}{tag}"


def registry_of(account: str, region: str) -> str:
    """Return the address of an account's ECR registry in a Region."""
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"{account}.dkr.ecr.{region}.{suffix}"


def same_place(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether one repository path contains the other, or both are equal."""
    shorter = min(len(one), len(other))
    return list(one[:shorter]) == list(other[:shorter])
