"""Container images of a profile: what its repositories and caches are called, and what nodes may pull."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from config.catalog.registries import Upstream, registries
from config.profile.images import ImageCache, ImageRepository
from config.profile.model import Profile

_DOCKER = "docker-hub"
_OFFICIAL = "library/"
"""What Docker Hub calls the folder of its own images; through a cache it must be written."""

_DEFAULT_TAG = "latest"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryPlan:
    """A repository: `stated` as in the profile, `name` as in ECR, `lifecycle` its policy or None.

    `made`: by the profile's stack, and not there already.
    """

    stated: str
    name: str
    made: bool
    immutable: bool
    moving_tags: tuple[str, ...]
    scan_on_push: bool
    lifecycle: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePlan:
    """A pull-through cache: images of `host` are under `prefix`.

    `url` is what ECR asks; `lifecycle` the policy of repositories that are made under the prefix, or None.
    `made`: by the profile's stack, and not there already.
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
    """The repositories and caches of one profile, each by name."""

    repositories: tuple[RepositoryPlan, ...]
    caches: tuple[CachePlan, ...]
    key_arn: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledImages:
    """What nodes pull: images of the profile and of its data profile; of one name the first counts."""

    repositories: tuple[RepositoryPlan, ...]
    caches: tuple[CachePlan, ...]

    @property
    def repository_names(self) -> tuple[str, ...]:
        """Repositories by name in ECR."""
        return tuple(sorted(repository.name for repository in self.repositories))

    @property
    def cache_prefixes(self) -> tuple[str, ...]:
        """What cached repositories begin with, without the slash after it."""
        return tuple(sorted(cache.prefix for cache in self.caches))


def plan_images(profile: Profile | None) -> ImagesPlan | None:
    """The images of a profile; None where it has none."""
    stated = profile.images if profile else None
    if profile is None or stated is None or not (stated.repositories or stated.caches):
        return None
    repositories = {one.name: _repository(profile.name, one) for one in reversed(stated.repositories)}
    caches = {prefix_of(profile.name, one): _cache(profile.name, one) for one in reversed(stated.caches)}
    return ImagesPlan(
        repositories=tuple(repositories[name] for name in sorted(repositories)),
        caches=tuple(caches[prefix] for prefix in sorted(caches)),
        key_arn=stated.key_arn,
    )


def plan_pulled(*plans: ImagesPlan | None) -> PulledImages | None:
    """What nodes pull, of several profiles; None for nothing."""
    there = [plan for plan in plans if plan is not None]
    if not there:
        return None
    return PulledImages(
        repositories=tuple(repository for plan in there for repository in plan.repositories),
        caches=tuple(cache for plan in there for cache in plan.caches),
    )


def prefix_of(profile: str, cache: ImageCache) -> str:
    """What the repositories of a cache begin with."""
    return cache.prefix or f"{profile}/{registries().upstreams[cache.upstream].short}"


def upstream_of(cache: ImageCache) -> Upstream:
    """The registry that a cache is of."""
    return registries().upstreams[cache.upstream]


def _repository(profile: str, stated: ImageRepository) -> RepositoryPlan:
    return RepositoryPlan(
        stated=stated.name,
        name=stated.existing or f"{profile}/{stated.name}",
        made=stated.existing is None,
        immutable=stated.immutable_tags,
        moving_tags=tuple(sorted(set(stated.moving_tags))),
        scan_on_push=stated.scan_on_push,
        lifecycle=_lifecycle(stated.expire_untagged_days, stated.keep_images),
    )


def _cache(profile: str, stated: ImageCache) -> CachePlan:
    upstream, prefix = upstream_of(stated), prefix_of(profile, stated)
    url = upstream.url or stated.host or upstream.host
    return CachePlan(
        upstream=stated.upstream,
        host=stated.host or upstream.host,
        url=url,
        prefix=prefix,
        made=not stated.existing,
        secret_arn=stated.secret_arn,
        lifecycle=_lifecycle(stated.expire_untagged_days, None),
    )


def _lifecycle(untagged_days: int, keep: int | None) -> str | None:
    """A policy as https://docs.aws.amazon.com/AmazonECR/latest/userguide/lifecycle_policy_parameters.html."""
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
    """The path in ECR of an image that is written short, with its mark; None where it is none of ours.

    Short is a repository by its name in the profile, with a tag or not (`train:v7`), or an image of a cached
    registry as everybody writes it (`docker.io/rocm/pytorch:latest`, `ghcr.io/team/eval:3`).
    """
    path, mark = _split(image)
    for repository in pulled.repositories if pulled else ():
        if path in (repository.stated, repository.name):
            return repository.name + (mark or f":{_DEFAULT_TAG}")
    for cache in pulled.caches if pulled else ():
        if path.startswith(f"{cache.host}/"):
            rest = path.removeprefix(f"{cache.host}/")
            official = _OFFICIAL if cache.upstream == _DOCKER and "/" not in rest else ""
            return f"{cache.prefix}/{official}{rest}{mark or f':{_DEFAULT_TAG}'}"
    return None


def _split(image: str) -> tuple[str, str]:
    """Path and mark: a colon before the last slash is a port's."""
    path, at, digest = image.partition("@")
    if at:
        return path.rpartition(":")[0] if ":" in path.rpartition("/")[2] else path, f"@{digest}"
    folder, slash, last = path.rpartition("/")
    name, colon, tag = last.partition(":")
    return f"{folder}{slash}{name}", f"{colon}{tag}"


def registry_of(account: str, region: str) -> str:
    """The address of an account's registry in a Region."""
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"{account}.dkr.ecr.{region}.{suffix}"


def same_place(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one path of repositories lies in the other, or both are one."""
    shorter = min(len(one), len(other))
    return list(one[:shorter]) == list(other[:shorter])
