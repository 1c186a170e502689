"""Container images: repositories, and what nodes pull."""

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
    """The repositories of the profile, each with its place."""
    images = design.profile.images
    for i, repository in enumerate(images.repositories if images else ()):
        yield ("images", "repositories", i), repository


def caches_of(design: Design) -> Iterator[tuple[Path, ImageCache]]:
    """The caches of the profile, each with its place."""
    images = design.profile.images
    for i, cache in enumerate(images.caches if images else ()):
        yield ("images", "caches", i), cache


@rule(
    "IMG001", ERROR, "a repository has a name of its own",
    why="A registry holds one repository of a name, and the second would fail the deployment.",
    source=f"{_API}/API_CreateRepository.html", reads="images", where="images",
)  # fmt: skip
def repositories_have_names_of_their_own(design: Design) -> Iterator[Finding]:
    """Names of repositories."""
    seen: set[str] = set()
    for at, repository in repositories_of(design):
        if repository.name in seen:
            yield Finding(
                at=(*at, "name"),
                message=f"two repositories are called {repository.name}",
                hint="take one out, or give it another name",
            )
        seen.add(repository.name)


@rule(
    "IMG008", ERROR, "tags that may move are those of a repository whose tags do not",
    why="Where every tag may be pushed again, the list says nothing.",
    source=f"{_GUIDE}/image-tag-mutability.html", reads="images", where="images",
)  # fmt: skip
def moving_tags_stand_beside_fixed_ones(design: Design) -> Iterator[Finding]:
    """moving_tags beside immutable_tags: false."""
    for at, repository in repositories_of(design):
        if repository.moving_tags and not repository.immutable_tags:
            yield Finding(
                at=(*at, "moving_tags"),
                message=f"every tag of {repository.name} may be pushed again, and {', '.join(repository.moving_tags)} too",
                hint="take `moving_tags` out, or `immutable_tags: false`",
            )


@rule(
    "IMG009", WARNING, "no image is deleted that somebody runs",
    why="A lifecycle policy counts images, and knows nothing of jobs: a node that joins or restarts later finds an old tag "
    "gone.",
    source=f"{_GUIDE}/lifecycle_policy_parameters.html", reads="images", where="images",
)  # fmt: skip
def images_in_use_stay(design: Design) -> Iterator[Finding]:
    """keep_images."""
    for at, repository in repositories_of(design):
        if repository.keep_images is not None:
            kept = repository.keep_images
            yield Finding(
                at=(*at, "keep_images"),
                message=f"the newest {kept} images of {repository.name} are kept, and jobs may run an older one",
                hint="take `keep_images` out: images without a tag are deleted anyway",
            )


@rule(
    "IMG013", WARNING, "images are of something",
    why="Without a repository and without a cache nothing is made.",
    source="docs/images.md", reads="images", where="images",
)  # fmt: skip
def images_are_of_something(design: Design) -> Iterator[Finding]:
    """`images` with neither."""
    images = design.profile.images
    if images is not None and not images.repositories and not images.caches:
        yield Finding(
            at=("images",),
            message="no repository and no cache is stated",
            hint="write `repositories: [{name: train}]`, or take `images` out",
        )


@rule(
    "IMG014", ERROR, "the key of images is in their Region",
    why="ECR encrypts with keys of its own Region.",
    source=f"{_GUIDE}/encryption-at-rest.html", reads="images region", where="images",
)  # fmt: skip
def keys_are_in_the_region(design: Design) -> Iterator[Finding]:
    """key_arn."""
    images = design.profile.images
    if images is not None and images.key_arn is not None:
        region = images.key_arn.split(":")[3]
        if region != design.profile.region:
            yield Finding(
                at=("images", "key_arn"),
                message=f"the key is in {region}, the profile in {design.profile.region}",
                hint=f"name a key of {design.profile.region}, or take `key_arn` out",
            )


@rule(
    "IMG016", NOTE, "enroot signs in to ECR where scripts of ours run",
    why="Without them nobody writes enroot's credentials, and `srun --container-image` finds no image of the account.",
    source="https://github.com/NVIDIA/enroot/blob/main/doc/cmd/import.md", reads="images orchestrator data", where="hyperpod-slurm",
)  # fmt: skip
def enroot_signs_in(design: Design) -> Iterator[Finding]:
    """Images under HyperPod whose nodes are set up by others."""
    slurm = design.profile.orchestrator
    images = design.profile.images
    if images is None or not isinstance(slurm, HyperPodSlurm) or isinstance(slurm.lifecycle, Extended):
        return
    yield Finding(
        at=("images",),
        message="nodes run no scripts of ultracluster, so enroot is not told how it signs in to ECR",
        hint="write `machine REGISTRY login AWS password $(aws ecr get-login-password)` into its .credentials, or take "
        "`lifecycle` out",
    )


@rule(
    "IMG017", ERROR, "what exists already is only named",
    why="A repository or a cache that the stack does not make has the settings that somebody else has given it.",
    source="docs/images.md", reads="images", where="images",
)  # fmt: skip
def what_exists_is_only_named(design: Design) -> Iterator[Finding]:
    """Other keys beside `existing`, and a cache that exists under a prefix which is not stated."""
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
                message=f"which cache of {cache.upstream} exists is not said",
                hint="write its `prefix:`; `aws ecr describe-pull-through-cache-rules` lists them",
            )


def _beyond(at: Path, what: str, keys: list[str]) -> Finding:
    told = ", ".join(f"`{key}`" for key in keys)
    message = f"{what} exists already, and {', '.join(keys)} would not be honoured"
    return Finding(at=(*at, keys[0]), message=message, hint=f"take {told} out")
