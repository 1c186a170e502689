"""Rules for `images`: ECR repositories and the sign-in of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.diagnostics import Path
from config.profile.images import ImageCache, ImageRepository
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.hyperpod import Extended
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_GUIDE = "https://docs.aws.amazon.com/AmazonECR/latest/userguide"
_API = "https://docs.aws.amazon.com/AmazonECR/latest/APIReference"


def repositories_of(design: Design) -> Iterator[tuple[Path, ImageRepository]]:
    """Yield each repository of the profile with its path."""
    images = design.profile.images
    for i, repository in enumerate(images.repositories if images else ()):
        yield ("images", "repositories", i), repository


def caches_of(design: Design) -> Iterator[tuple[Path, ImageCache]]:
    """Yield each pull-through cache of the profile with its path."""
    images = design.profile.images
    for i, cache in enumerate(images.caches if images else ()):
        yield ("images", "caches", i), cache


@rule(
    "IMG001", ERROR, "each repository has a unique name",
    why="The name of a repository is unique in a registry. CloudFormation fails to create the second repository.",
    source=f"{_API}/API_CreateRepository.html", reads="images", where="images",
)  # fmt: skip
def repository_names_are_unique(design: Design) -> Iterator[Finding]:
    """Check that repository names are unique."""
    seen: set[str] = set()
    for at, repository in repositories_of(design):
        if repository.name in seen:
            yield Finding(
                at=(*at, "name"),
                message=f"two repositories have the name {repository.name}",
                hint="remove one repository, or set another `name`",
            )
        seen.add(repository.name)


@rule(
    "IMG008", ERROR, "`moving_tags` is only set for a repository with immutable tags",
    why="`moving_tags` lists the exceptions from immutable tags. If all tags are mutable, the list has no effect.",
    source=f"{_GUIDE}/image-tag-mutability.html", reads="images", where="images",
)  # fmt: skip
def moving_tags_need_immutable_tags(design: Design) -> Iterator[Finding]:
    """Report `moving_tags` together with `immutable_tags: false`."""
    for at, repository in repositories_of(design):
        if repository.moving_tags and not repository.immutable_tags:
            yield Finding(
                at=(*at, "moving_tags"),
                message=f"all tags of repository {repository.name} are mutable, so `moving_tags` ({', '.join(repository.moving_tags)}) has no "
                "effect",
                hint="remove `moving_tags` or `immutable_tags: false`",
            )


@rule(
    "IMG009", WARNING, "images in use are not deleted",
    why="An ECR lifecycle policy counts images, and does not check whether a job uses them. A node that joins or restarts later "
    "cannot pull a deleted image.",
    source=f"{_GUIDE}/lifecycle_policy_parameters.html", reads="images", where="images",
)  # fmt: skip
def images_in_use_are_not_deleted(design: Design) -> Iterator[Finding]:
    """Report `keep_images`."""
    for at, repository in repositories_of(design):
        if repository.keep_images is not None:
            kept = repository.keep_images
            yield Finding(
                at=(*at, "keep_images"),
                message=f"only the newest {kept} images of repository {repository.name} are retained, but jobs may use an older image",
                hint="remove `keep_images`; to delete images without a tag, use `expire_untagged_days`",
            )


@rule(
    "IMG013", WARNING, "`images` has a repository or a cache",
    why="Without a repository and without a pull-through cache, `images` does not create any resource.",
    source="docs/images.md", reads="images", where="images",
)  # fmt: skip
def images_has_repositories_or_caches(design: Design) -> Iterator[Finding]:
    """Report `images` without repositories and caches."""
    images = design.profile.images
    if images is not None and not images.repositories and not images.caches:
        yield Finding(
            at=("images",),
            message="`images` has neither `repositories` nor `caches`",
            hint="add `repositories: [{name: train}]`, or remove `images`",
        )


@rule(
    "IMG014", ERROR, "the KMS key of images is in the profile's Region",
    why="ECR encrypts only with a KMS key in the Region of the repository.",
    source=f"{_GUIDE}/encryption-at-rest.html", reads="images region", where="images",
)  # fmt: skip
def keys_are_in_the_region(design: Design) -> Iterator[Finding]:
    """Check the Region of `key_arn`."""
    images = design.profile.images
    if images is not None and images.key_arn is not None:
        region = images.key_arn.split(":")[3]
        if region != design.profile.region:
            yield Finding(
                at=("images", "key_arn"),
                message=f"the key is in {region}, but the profile is in {design.profile.region}",
                hint=f"set `key_arn` to a key in {design.profile.region}, or remove `key_arn`",
            )


@rule(
    "IMG016", NOTE, "ultracluster's lifecycle scripts configure the ECR sign-in of enroot",
    why="Without these scripts, enroot has no credentials for ECR, and `srun --container-image` cannot pull images of the "
    "account.",
    source="https://github.com/NVIDIA/enroot/blob/main/doc/cmd/import.md", reads="images orchestrator data", where="hyperpod-slurm",
)  # fmt: skip
def enroot_signs_in(design: Design) -> Iterator[Finding]:
    """Report `images` if HyperPod nodes do not run ultracluster's lifecycle scripts."""
    slurm = design.profile.orchestrator
    images = design.profile.images
    if images is None or not isinstance(slurm, HyperPodSlurm) or isinstance(slurm.lifecycle, Extended):
        return
    yield Finding(
        at=("images",),
        message="the nodes do not run ultracluster's lifecycle scripts, so enroot cannot sign in to ECR",
        hint="add `machine REGISTRY login AWS password $(aws ecr get-login-password)` to the file .credentials of enroot, or "
        "remove `lifecycle`",
    )


@rule(
    "IMG017", ERROR, "an existing repository or cache has no settings in the profile",
    why="The stack does not manage an existing repository or cache, so it cannot change its settings.",
    source="docs/images.md", reads="images", where="images",
)  # fmt: skip
def existing_resources_have_no_settings(design: Design) -> Iterator[Finding]:
    """Report keys that are combined with `existing`, and an existing cache without a prefix."""
    for at, repository in repositories_of(design):
        more = sorted(repository.model_fields_set - {"name", "existing"})
        if repository.existing is not None and more:
            yield _beyond(at, repository.existing, more)
    for at, cache in caches_of(design):
        more = sorted(cache.model_fields_set - {"upstream", "host", "prefix", "existing"})
        if cache.existing and more:
            yield _beyond(at, f"the cache of {cache.upstream}", more)
        if cache.existing and cache.prefix is None:
            yield Finding(
                at=at,
                message=f"the existing cache of {cache.upstream} has no `prefix`",
                hint="set `prefix` to a prefix that `aws ecr describe-pull-through-cache-rules` lists",
            )


def _beyond(at: Path, what: str, keys: list[str]) -> Finding:
    named = ", ".join(f"`{key}`" for key in keys)
    message = f"{what} already exists, so these keys have no effect: {', '.join(keys)}"
    return Finding(at=(*at, keys[0]), message=message, hint=f"remove {named}")
