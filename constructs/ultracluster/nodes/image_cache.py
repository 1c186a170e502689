"""A pull-through cache of another registry, and what ECR needs to make its repositories."""

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
    """What ECR may do when it makes repositories of caches.

    Attributes:
        prefixes: What the repositories begin with, without the slash after it.
        key_arn: KMS key of the images. None: ECR's own encryption.
    """

    prefixes: Sequence[str]
    key_arn: str | None = None


class ImageCacheRole(Construct):
    """The role with which ECR makes repositories that have tags or a key.

    Source: https://docs.aws.amazon.com/AmazonECR/latest/userguide/repository-creation-templates-custom.html,
    here for the prefixes of the caches alone, and without ReplicateImage: nothing is replicated.

    Attributes:
        role_arn: The role.
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
            description="Repositories that ECR makes as images are cached",
            statements=[
                statement(["ecr:CreateRepository", "ecr:TagResource"], made, sid="Repositories"),
                *allowed(granted, props.key_arn, sid="Key"),
            ],
            tags=props.tags,
            # the trust that ECR documents has no condition
            source_account_condition=False,
        )
        self.role_arn = attribute(role, "Arn")


def cached_repositories(prefixes: Sequence[str]) -> list[dict[str, str]]:
    """The repositories of caches in this account and Region, by ARN."""
    place = "arn:${AWS::Partition}:ecr:${AWS::Region}:${AWS::AccountId}:repository/"
    return [sub(f"{place}{prefix}/*") for prefix in sorted(set(prefixes))]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageCacheProps:
    """A cache of one registry.

    Attributes:
        prefix: What its repositories begin with: 2 to 30 characters, once in a registry.
        upstream: The registry as ECR calls it: `docker-hub`.
        url: Its address, without a scheme: `registry-1.docker.io`.
        role_arn: The role with which ECR makes the repositories.
        secret_arn: Secret that ECR signs in with. None: the registry asks for none.
        lifecycle: Policy by which cached images are deleted, as JSON. None: no image is.
        key_arn: KMS key of the images. None: ECR's own encryption.
        repository_tags: Tags of the repositories that ECR makes.
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
    """A pull-through cache rule, after the template of the repositories that it makes.

    What ECR makes under the prefix is nobody's in the stack: it stays when the rule goes.
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
                # the newest image of a tag replaces the one before: ECR looks for it once a day
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
            # the first image is cached with the settings of the template
            depends_on=[template],
        )
