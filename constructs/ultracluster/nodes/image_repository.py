"""A repository for container images of one's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, attribute, tag_list
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRepositoryProps(Tagged):
    """A repository.

    Attributes:
        name: Its name in the registry of the account and Region, where no other one may have it.
        immutable_tags: Whether a tag is pushed once alone.
        retention: Whether its images outlive the stack. A disposable one is emptied when it is deleted.
        moving_tags: Tags that may be pushed again all the same, with stars. None by default.
        scan_on_push: Whether images are scanned for known vulnerabilities. True by default.
        lifecycle: Policy by which images are deleted, as JSON. None: no image is.
        key_arn: KMS key of the images; it cannot change. None: ECR's own encryption.
    """

    name: str
    immutable_tags: bool
    retention: Retention
    moving_tags: Sequence[str] = ()
    scan_on_push: bool = True
    lifecycle: str | None = None
    key_arn: str | None = None


class ImageRepository(Construct):
    """A repository of Amazon ECR.

    Attributes:
        repository_uri: What images are called by, without their tags.
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
    """With a key, or None for ECR's own."""
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
