"""ECR repository for container images."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, attribute, tag_list
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRepositoryProps(Tagged):
    """Properties of a repository.

    Attributes:
        name: Name of the repository, unique in the account and Region.
        immutable_tags: Whether a tag can be pushed only once.
        retention: Whether the repository is retained when the stack is deleted. A disposable repository is
            emptied when it is deleted.
        moving_tags: Tags that are mutable despite `immutable_tags`, with `*` as a wildcard. None by default.
        scan_on_push: Whether ECR scans images for known vulnerabilities. True by default.
        lifecycle: Lifecycle policy as JSON. None: images are not deleted.
        key_arn: KMS key of the images. Fixed at creation. None: ECR's own encryption.
    """

    name: str
    immutable_tags: bool
    retention: Retention
    moving_tags: Sequence[str] = ()
    scan_on_push: bool = True
    lifecycle: str | None = None
    key_arn: str | None = None


class ImageRepository(Construct):
    """An Amazon ECR repository.

    Attributes:
        repository_uri: URI of the repository, for image names without tags.
    """

    def __init__(self, scope: Construct, construct_id: str, props: ImageRepositoryProps) -> None:
        """Create the repository."""
        super().__init__(scope, construct_id)
        repository = add_resource(
            self,
            "Resource",
            "AWS::ECR::Repository",
            {
                "RepositoryName": props.name,
                "EmptyOnDelete": True if props.retention is Retention.DISPOSABLE else None,
                "EncryptionConfiguration": encryption(props.key_arn),
                "ImageScanningConfiguration": {"ScanOnPush": props.scan_on_push},
                "LifecyclePolicy": {"LifecyclePolicyText": props.lifecycle} if props.lifecycle else None,
                "Tags": tag_list(props.tags),
                **_mutability(props.immutable_tags, props.moving_tags),
            },
            retention=props.retention,
        )
        self.repository_uri = attribute(repository, "RepositoryUri")


def encryption(key_arn: str | None) -> dict[str, Any] | None:
    """Return the encryption settings for a KMS key; None for ECR's own encryption."""
    return {"EncryptionType": "KMS", "KmsKey": key_arn} if key_arn else None


def _mutability(immutable: bool, moving: Sequence[str]) -> dict[str, Any]:
    if not immutable:
        return {"ImageTagMutability": "MUTABLE"}
    if not moving:
        return {"ImageTagMutability": "IMMUTABLE"}
    kind, value = "ImageTagMutabilityExclusionFilterType", "ImageTagMutabilityExclusionFilterValue"
    return {
        "ImageTagMutability": "IMMUTABLE_WITH_EXCLUSION",
        "ImageTagMutabilityExclusionFilters": [{kind: "WILDCARD", value: tag} for tag in sorted(moving)],
    }
