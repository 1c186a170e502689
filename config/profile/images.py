"""Container images: repositories of the profile's own, and caches of other registries, in Amazon ECR."""

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
    """A repository that images are pushed to."""

    name: Annotated[
        str,
        Field(
            pattern=REPOSITORY,
            min_length=2,
            max_length=200,
            description="Name of the repository; in ECR the profile's name and a slash stand before it.",
        ),
    ]
    existing: Annotated[
        str | None,
        Field(
            pattern=REPOSITORY,
            min_length=2,
            max_length=256,
            description="Name in ECR of a repository that is there already, such as one that a deleted stack has left: "
            "pretrain/train. It is not made.",
        ),
    ] = None
    immutable_tags: Annotated[
        bool, Field(description="True: a tag is pushed once, and means the same image ever after.")
    ] = True
    moving_tags: Annotated[
        Sequence[Annotated[str, Field(pattern=IMAGE_TAGS)]],
        Field(
            max_length=5,
            description="Tags that may be pushed again nevertheless: latest, dev-*; default: none.",
        ),
    ] = ()
    scan_on_push: Annotated[
        bool, Field(description="Scan each image for known vulnerabilities when it is pushed.")
    ] = True
    expire_untagged_days: Annotated[
        Days,
        Field(
            description="Days after which images without a tag are deleted, as moved tags leave them; 0: never."
        ),
    ] = 14
    keep_images: Annotated[
        int | None,
        Field(
            ge=1,
            le=100_000,
            description="How many images are kept, the newest, with or without tags; default: all with a tag.",
        ),
    ] = None


class ImageCache(Model):
    """A pull-through cache: repositories that fill themselves from another registry as they are asked."""

    upstream: Annotated[UpstreamName, Field(description="The registry, as ECR calls it.")]
    host: Annotated[
        str | None,
        Field(
            pattern=REGISTRY_HOST,
            description="Address of a registry of Azure: myregistry.azurecr.io; the others have theirs.",
        ),
    ] = None
    prefix: Annotated[
        str | None,
        Field(
            pattern=REPOSITORY,
            description="What its repositories begin with; default: the profile's name and the registry's.",
        ),
    ] = None
    existing: Annotated[
        bool, Field(description="True: the account has this cache already, under `prefix`; it is not made.")
    ] = False
    secret_arn: Annotated[
        str | None,
        Field(
            pattern=SECRET_ARN,
            description="Secret that ECR signs in with, named ecr-pullthroughcache/ and something, in this account and "
            "Region.",
        ),
    ] = None
    expire_untagged_days: Annotated[
        Days, Field(description="Days after which cached images without a tag are deleted; 0: never.")
    ] = 14


class Images(Model):
    """Repositories and caches of one cluster, in the registry of its account and Region."""

    repositories: Annotated[
        Sequence[ImageRepository], Field(max_length=100, description="Repositories for images of one's own.")
    ] = ()
    caches: Annotated[
        Sequence[ImageCache], Field(max_length=100, description="Pull-through caches of other registries.")
    ] = ()
    key_arn: Annotated[
        str | None,
        Field(
            pattern=KMS_KEY_ARN,
            description="KMS key of the images, cached ones too; default: ECR's own encryption. It cannot change later.",
        ),
    ] = None
