"""ECR pull-through cache, and the role with which ECR creates the cache's repositories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from constructs import Construct

from ultracluster.cfn import (
    Tagged,
    add_resource,
    add_service_role,
    allowed,
    attribute,
    statement,
    sub,
    tag_list,
)
from ultracluster.nodes.image_repository import encryption


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageCacheRoleProps(Tagged):
    """Properties of the role with which ECR creates the repositories of caches.

    Attributes:
        prefixes: Prefixes of the repositories, without the slash.
        key_arn: KMS key of the images. None: ECR's own encryption.
    """

    prefixes: Sequence[str]
    key_arn: str | None = None


class ImageCacheRole(Construct):
    """The role with which ECR creates cache repositories with tags or a KMS key.

    The role has the permissions of
    https://docs.aws.amazon.com/AmazonECR/latest/userguide/repository-creation-templates-custom.html for the
    prefixes of the caches, without ReplicateImage, because images are not replicated.

    Attributes:
        role_arn: ARN of the role.
    """

    def __init__(self, scope: Construct, construct_id: str, props: ImageCacheRoleProps) -> None:
        """Create the role with its permissions inline."""
        super().__init__(scope, construct_id)
        made, granted = (
            cached_repositories(props.prefixes),
            ["kms:CreateGrant", "kms:DescribeKey", "kms:RetireGrant"],
        )
        role = add_service_role(
            self,
            "Resource",
            service="ecr.amazonaws.com",
            description="Creates the repositories of ECR pull-through caches",
            statements=[
                statement(["ecr:CreateRepository", "ecr:TagResource"], made, sid="Repositories"),
                *allowed(granted, props.key_arn, sid="Key"),
            ],
            tags=props.tags,
            # the trust policy in ECR's documentation has no condition
            source_account_condition=False,
        )
        self.role_arn = attribute(role, "Arn")


def cached_repositories(prefixes: Sequence[str]) -> list[dict[str, str]]:
    """Return the ARNs of the cache repositories in this account and Region."""
    place = "arn:${AWS::Partition}:ecr:${AWS::Region}:${AWS::AccountId}:repository/"
    return [sub(f"{place}{prefix}/*") for prefix in sorted(set(prefixes))]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageCacheProps:
    """Properties of a pull-through cache.

    Attributes:
        prefix: Prefix of the cache's repositories: 2 to 30 characters, unique in the registry.
        upstream: ECR's name of the upstream registry, such as `docker-hub`.
        url: Address of the upstream registry without a scheme, such as `registry-1.docker.io`.
        role_arn: The role with which ECR creates the repositories.
        secret_arn: Secret with the credentials for the upstream registry. None: no credentials are needed.
        lifecycle: Lifecycle policy of the repositories as JSON. None: images are not deleted.
        key_arn: KMS key of the images. None: ECR's own encryption.
        repository_tags: Tags of the repositories that ECR creates.
    """

    prefix: str
    upstream: str
    url: str
    role_arn: str
    secret_arn: str | None = None
    lifecycle: str | None = None
    key_arn: str | None = None
    repository_tags: Mapping[str, str] = field(default_factory=dict)


class ImageCache(Construct):
    """A pull-through cache rule, and a template for the repositories that ECR creates.

    The repositories are not resources of the stack, and are retained when the rule is deleted.
    """

    def __init__(self, scope: Construct, construct_id: str, props: ImageCacheProps) -> None:
        """Create the template and the rule."""
        super().__init__(scope, construct_id)
        template = add_resource(
            self,
            "Template",
            "AWS::ECR::RepositoryCreationTemplate",
            {
                "Prefix": props.prefix,
                "Description": f"Images of {props.url}",
                "AppliedFor": ["PULL_THROUGH_CACHE"],
                # ECR checks once a day whether the upstream tag has a newer image
                "ImageTagMutability": "MUTABLE",
                "LifecyclePolicy": props.lifecycle,
                "EncryptionConfiguration": encryption(props.key_arn),
                "ResourceTags": tag_list(props.repository_tags),
                "CustomRoleArn": props.role_arn,
            },
        )
        add_resource(
            self,
            "Resource",
            "AWS::ECR::PullThroughCacheRule",
            {
                "EcrRepositoryPrefix": props.prefix,
                "UpstreamRegistry": props.upstream,
                "UpstreamRegistryUrl": props.url,
                "CredentialArn": props.secret_arn,
            },
            # so that the first cached image already uses the template
            depends_on=[template],
        )
