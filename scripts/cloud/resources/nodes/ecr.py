"""Container registries: repositories, pull-through cache rules and creation templates, over ECR."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from typing import Any

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    document_of,
    found,
    known,
    only,
    tag_mapping,
    text_of,
)
from scripts.cloud.resources.casing import camel, pascal


class Repository(Model):
    """A container image repository."""

    type = "AWS::ECR::Repository"

    def create(self, context: Context, properties: Properties) -> Created:
        ecr = context.client("ecr")
        name = properties.get("RepositoryName") or context.generated_name(256, lower=True)
        encryption = properties.get("EncryptionConfiguration")
        made = ecr.create_repository(
            repositoryName=name,
            tags=context.tag_list(properties),
            **_mutability(properties),
            imageScanningConfiguration=_scanning(properties),
            **({"encryptionConfiguration": camel(encryption)} if encryption else {}),
        )["repository"]
        context.claim(name)
        self._policies(ecr, name, {}, properties)
        return Created(name, {"Arn": made["repositoryArn"], "RepositoryUri": made["repositoryUri"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        ecr, name = context.client("ecr"), existing.physical_id
        ecr.put_image_tag_mutability(repositoryName=name, **_mutability(properties))
        scanning = _scanning(properties)
        ecr.put_image_scanning_configuration(repositoryName=name, imageScanningConfiguration=scanning)
        self._policies(ecr, name, existing.properties, properties)
        before, after = tag_mapping(existing.properties), context.tags(properties)
        arn = existing.attributes["Arn"]
        if set(before) - set(after):
            ecr.untag_resource(resourceArn=arn, tagKeys=sorted(set(before) - set(after)))
        if after and after != before:
            ecr.tag_resource(resourceArn=arn, tags=context.tag_list(properties))
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        force = bool(existing.properties.get("EmptyOnDelete"))
        context.client("ecr").delete_repository(repositoryName=existing.physical_id, force=force)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ecr, name = context.client("ecr"), existing.physical_id
        answer = found(ecr.describe_repositories, repositoryNames=[name])
        if answer is None:
            return None
        lifecycle = found(ecr.get_lifecycle_policy, repositoryName=name) or {}
        policy = found(ecr.get_repository_policy, repositoryName=name) or {}
        names = ("imageTagMutability", "imageScanningConfiguration", "encryptionConfiguration")
        told = answer["repositories"][0]
        return known(
            **pascal(only(told, *names)),
            ImageTagMutabilityExclusionFilters=_filters_told(told),
            LifecyclePolicy=pascal(only(lifecycle, "lifecyclePolicyText")),
            RepositoryPolicyText=document_of(policy.get("policyText")),
        )

    @staticmethod
    def _policies(ecr: Any, name: str, old: Properties, new: Properties) -> None:
        if "LifecyclePolicy" in new:
            text = new["LifecyclePolicy"]["LifecyclePolicyText"]
            ecr.put_lifecycle_policy(repositoryName=name, lifecyclePolicyText=text)
        elif "LifecyclePolicy" in old:
            ecr.delete_lifecycle_policy(repositoryName=name)
        if "RepositoryPolicyText" in new:
            ecr.set_repository_policy(repositoryName=name, policyText=text_of(new["RepositoryPolicyText"]))
        elif "RepositoryPolicyText" in old:
            ecr.delete_repository_policy(repositoryName=name)


_FILTER = "ImageTagMutabilityExclusionFilter"


def _mutability(properties: Properties) -> dict[str, Any]:
    filters = [
        {"filterType": one[f"{_FILTER}Type"], "filter": one[f"{_FILTER}Value"]}
        for one in properties.get(f"{_FILTER}s", ())
    ]
    given = {"imageTagMutabilityExclusionFilters": filters} if filters else {}
    return {"imageTagMutability": properties.get("ImageTagMutability", "MUTABLE"), **given}


def _filters_told(told: Properties) -> list[dict[str, str]] | None:
    filters = told.get("imageTagMutabilityExclusionFilters")
    if not filters:
        return None
    return [{f"{_FILTER}Type": one["filterType"], f"{_FILTER}Value": one["filter"]} for one in filters]


def _scanning(properties: Properties) -> dict[str, bool]:
    scanning = properties.get("ImageScanningConfiguration", {})
    return {"scanOnPush": bool(scanning.get("ScanOnPush", False))}


class PullThroughCacheRule(Model):
    """A prefix under which repositories fill themselves from another registry."""

    type = "AWS::ECR::PullThroughCacheRule"

    def create(self, context: Context, properties: Properties) -> Created:
        made = context.client("ecr").create_pull_through_cache_rule(**camel(properties))
        return Created(made["ecrRepositoryPrefix"])

    def delete(self, context: Context, existing: Existing) -> None:
        prefix = existing.physical_id
        context.client("ecr").delete_pull_through_cache_rule(ecrRepositoryPrefix=prefix)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("ecr").describe_pull_through_cache_rules
        answer = found(ask, ecrRepositoryPrefixes=[existing.physical_id])
        names = ("ecrRepositoryPrefix", "upstreamRegistryUrl", "upstreamRegistry")
        return None if answer is None else known(**pascal(only(answer["pullThroughCacheRules"][0], *names)))


class RepositoryCreationTemplate(Model):
    """Settings of the repositories that ECR makes under a prefix."""

    type = "AWS::ECR::RepositoryCreationTemplate"

    def create(self, context: Context, properties: Properties) -> Created:
        made = context.client("ecr").create_repository_creation_template(**_template(properties))
        told = made["repositoryCreationTemplate"]
        return Created(told["prefix"], _moments(told))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        ecr = context.client("ecr")
        told = ecr.update_repository_creation_template(**_template(properties))["repositoryCreationTemplate"]
        return _moments(told)

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ecr").delete_repository_creation_template(prefix=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("ecr").describe_repository_creation_templates
        answer = found(ask, prefixes=[existing.physical_id])
        if answer is None:
            return None
        told = answer["repositoryCreationTemplates"][0]
        names = ("prefix", "description", "encryptionConfiguration", "resourceTags", "imageTagMutability",
                 "lifecyclePolicy", "appliedFor", "customRoleArn")  # fmt: skip
        return known(
            **pascal(only(told, *names)),
            ImageTagMutabilityExclusionFilters=_filters_told(told),
            RepositoryPolicy=document_of(told.get("repositoryPolicy")),
        )


def _template(properties: Properties) -> dict[str, Any]:
    # the keys of tags are large in the API too
    apart = ("ResourceTags", f"{_FILTER}s", "ImageTagMutability")
    tags = {"resourceTags": properties["ResourceTags"]} if properties.get("ResourceTags") else {}
    request = camel({name: value for name, value in properties.items() if name not in apart})
    return {**request, **_mutability(properties), **tags}


def _moments(told: Properties) -> dict[str, str]:
    return {"CreatedAt": str(told["createdAt"]), "UpdatedAt": str(told["updatedAt"])}


MODELS = (Repository(), PullThroughCacheRule(), RepositoryCreationTemplate())
