"""What a deployment itself stands on: parameters, the repository of the CDK bootstrap, CDK's own metadata."""

# ruff: noqa: D102 - create, update and delete are described by Model

from __future__ import annotations

import json
from typing import Any

from .base import Context, Created, Existing, Model, Properties, only


class Parameter(Model):
    """A value in Parameter Store."""

    type = "AWS::SSM::Parameter"

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties.get("Name") or context.generated_name(128)
        self._put(context, name, properties, overwrite=False)
        return Created(name, self._attributes(properties))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context, existing.physical_id, properties, overwrite=True)
        return self._attributes(properties)

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ssm").delete_parameter(Name=existing.physical_id)

    @staticmethod
    def _put(context: Context, name: str, properties: Properties, *, overwrite: bool) -> None:
        names = ("Type", "Value", "Description", "AllowedPattern", "Tier", "DataType")
        context.client("ssm").put_parameter(Name=name, Overwrite=overwrite, **only(properties, *names))

    @staticmethod
    def _attributes(properties: Properties) -> Properties:
        return only(properties, "Type", "Value")


class Repository(Model):
    """A container image repository."""

    type = "AWS::ECR::Repository"

    def create(self, context: Context, properties: Properties) -> Created:
        ecr = context.client("ecr")
        name = properties.get("RepositoryName") or context.generated_name(256, lower=True)
        settings = {
            "imageTagMutability": properties.get("ImageTagMutability", "MUTABLE"),
            "imageScanningConfiguration": {
                "scanOnPush": properties.get("ImageScanningConfiguration", {}).get("ScanOnPush", False)
            },
        }
        made = ecr.create_repository(repositoryName=name, tags=context.tag_list(properties), **settings)[
            "repository"
        ]
        context.claim(name)
        self._policies(ecr, name, properties)
        return Created(name, {"Arn": made["repositoryArn"], "RepositoryUri": made["repositoryUri"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        ecr, name = context.client("ecr"), existing.physical_id
        mutability = properties.get("ImageTagMutability", "MUTABLE")
        ecr.put_image_tag_mutability(repositoryName=name, imageTagMutability=mutability)
        self._policies(ecr, name, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        force = bool(existing.properties.get("EmptyOnDelete"))
        context.client("ecr").delete_repository(repositoryName=existing.physical_id, force=force)

    @staticmethod
    def _policies(ecr: Any, name: str, properties: Properties) -> None:
        if "LifecyclePolicy" in properties:
            text = properties["LifecyclePolicy"]["LifecyclePolicyText"]
            ecr.put_lifecycle_policy(repositoryName=name, lifecyclePolicyText=text)
        if "RepositoryPolicyText" in properties:
            policy = properties["RepositoryPolicyText"]
            text = policy if isinstance(policy, str) else json.dumps(policy)
            ecr.set_repository_policy(repositoryName=name, policyText=text)


class CdkMetadata(Model):
    """CDK's record of the versions used: AWS does nothing with it."""

    type = "AWS::CDK::Metadata"

    def create(self, context: Context, properties: Properties) -> Created:
        return Created(context.generated_name(64))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        """Nothing to remove."""


MODELS = (Parameter(), Repository(), CdkMetadata())
