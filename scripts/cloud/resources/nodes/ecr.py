"""ECR repositories, pull-through cache rules and repository creation templates."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from scripts.cloud.resources.api import ApiModel, setting
from scripts.cloud.resources.base import Context, Existing, Model, Properties, found, text_of

_FILTERS = "ImageTagMutabilityExclusionFilter"


class _Ecr(ApiModel):
    service = "ecr"

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        filters = [
            {"filterType": one[f"{_FILTERS}Type"], "filter": one[f"{_FILTERS}Value"]}
            for one in new.get(f"{_FILTERS}s", ())
        ]
        declared = {"ImageTagMutability": "MUTABLE", **new} | ({f"{_FILTERS}s": filters} if filters else {})
        return {name: value for name, value in declared.items() if name != f"{_FILTERS}s" or filters}

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        filters = [
            {f"{_FILTERS}Type": one["FilterType"], f"{_FILTERS}Value": one["Filter"]}
            for one in record.get(f"{_FILTERS}s", ())
        ]
        return super().properties(context, existing, record) | {f"{_FILTERS}s": filters}


class Repository(_Ecr):
    """A container image repository."""

    type = "AWS::ECR::Repository"
    noun = "repository"
    reads = "describe_repositories"
    updates = "put_image_tag_mutability"
    named = ("RepositoryName", "repositoryName", 256)
    key = ("repositoryName", "force:EmptyOnDelete")

    def name(self, context: Context, properties: Properties) -> dict[str, Any]:
        return {"repositoryName": properties.get("RepositoryName") or context.generated_name(256, lower=True)}

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        old, named = existing.properties, {"repositoryName": existing.physical_id}
        scanning = {"scanOnPush": bool(properties.get("ImageScanningConfiguration", {}).get("ScanOnPush"))}
        client.put_image_scanning_configuration(**named, imageScanningConfiguration=scanning)
        setting(
            old, properties, "LifecyclePolicy",
            lambda new: client.put_lifecycle_policy(**named, lifecyclePolicyText=new["LifecyclePolicyText"]),
            partial(client.delete_lifecycle_policy, **named),
        )  # fmt: skip
        setting(
            old, properties, "RepositoryPolicyText",
            lambda policy: client.set_repository_policy(**named, policyText=text_of(policy)),
            partial(client.delete_repository_policy, **named),
        )  # fmt: skip

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        ecr, named = context.client("ecr"), {"repositoryName": existing.physical_id}
        lifecycle = (found(ecr.get_lifecycle_policy, **named) or {}).get("lifecyclePolicyText")
        policy = (found(ecr.get_repository_policy, **named) or {}).get("policyText")
        policies = {
            "LifecyclePolicy": lifecycle and {"LifecyclePolicyText": lifecycle},
            "RepositoryPolicyText": policy,
        }
        return super().properties(context, existing, {**record, **policies})


class PullThroughCacheRule(_Ecr):
    """A prefix for repositories that copy images from another registry."""

    type = "AWS::ECR::PullThroughCacheRule"
    noun = "pull_through_cache_rule"
    reads = "describe_{}s"
    key = ("ecrRepositoryPrefix",)
    ref = "{EcrRepositoryPrefix}"
    update = Model.update


class RepositoryCreationTemplate(_Ecr):
    """Settings of the repositories that ECR creates under a prefix."""

    type = "AWS::ECR::RepositoryCreationTemplate"
    noun = "repository_creation_template"
    reads = "describe_{}s"
    key = ("prefix",)
    ref = "{Prefix}"
    refreshed = True
