"""Profile keys for container images: ECR repositories and pull-through caches."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import (
    IMAGE_TAGS,
    KMS_KEY_ARN,
    REGISTRY_HOST,
    REPOSITORY,
    SECRET_ARN,
    Model,
    Sequence,
)

UpstreamName = Literal[
    "azure-container-registry",
    "docker-hub",
    "ecr-public",
    "github-container-registry",
    "gitlab-container-registry",
    "k8s",
    "quay",
]

Days = Annotated[int, Field(ge=0, le=3650)]


class ImageRepository(Model):
    """An ECR repository for your own images."""

    name: Annotated[
        str,
        Field(
            pattern=REPOSITORY,
            min_length=2,
            max_length=200,
            description="Name of the repository. In ECR, the profile's name and a slash precede it.",
        ),
    ]
    existing: Annotated[
        str | None,
        Field(
            pattern=REPOSITORY,
            min_length=2,
            max_length=256,
            description="ECR name of an existing repository, such as pretrain/train, for example one that was retained when its "
            "stack was deleted. The stack does not create it.",
        ),
    ] = None
    immutable_tags: Annotated[
        bool, Field(description="True: a tag can be pushed only once, and always refers to the same image.")
    ] = True
    moving_tags: Annotated[
        Sequence[Annotated[str, Field(pattern=IMAGE_TAGS)]],
        Field(
            max_length=5,
            description="Tags that are mutable although `immutable_tags` is true, such as latest or dev-*; default: none.",
        ),
    ] = ()
    scan_on_push: Annotated[
        bool, Field(description="True: ECR scans each pushed image for known vulnerabilities.")
    ] = True
    expire_untagged_days: Annotated[
        Days,
        Field(
            description="Days after which images without a tag are deleted, for example after a mutable tag was pushed again. 0: never."
        ),
    ] = 14
    keep_images: Annotated[
        int | None,
        Field(
            ge=1,
            le=100_000,
            description="Number of the newest images that are retained, with or without tags. Default: all images with a tag.",
        ),
    ] = None


class ImageCache(Model):
    """A pull-through cache, which copies images from another registry when they are pulled."""

    upstream: Annotated[UpstreamName, Field(description="ECR's name of the upstream registry.")]
    host: Annotated[
        str | None,
        Field(
            pattern=REGISTRY_HOST,
            description="Address of an Azure registry, such as myregistry.azurecr.io. Other registries have a fixed address.",
        ),
    ] = None
    prefix: Annotated[
        str | None,
        Field(
            pattern=REPOSITORY,
            description="Prefix of the cache's repositories. Default: the profile's name and a short name of the registry.",
        ),
    ] = None
    existing: Annotated[
        bool,
        Field(
            description="True: the account already has this cache under `prefix`; the stack does not create it."
        ),
    ] = False
    secret_arn: Annotated[
        str | None,
        Field(
            pattern=SECRET_ARN,
            description="ARN of the secret with the registry's credentials. Its name must begin with ecr-pullthroughcache/, in "
            "this account and Region.",
        ),
    ] = None
    expire_untagged_days: Annotated[
        Days, Field(description="Days after which cached images without a tag are deleted; 0: never.")
    ] = 14


class Images(Model):
    """ECR repositories and pull-through caches of a cluster, in its account and Region."""

    repositories: Annotated[
        Sequence[ImageRepository], Field(max_length=100, description="Repositories for your own images.")
    ] = ()
    caches: Annotated[
        Sequence[ImageCache], Field(max_length=100, description="Pull-through caches of other registries.")
    ] = ()
    key_arn: Annotated[
        str | None,
        Field(
            pattern=KMS_KEY_ARN,
            description="KMS key of all images, including cached ones. Default: ECR's own encryption. The key cannot change later.",
        ),
    ] = None
