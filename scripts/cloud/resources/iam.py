"""Roles, policies and instance profiles, over moto's IAM."""

# ruff: noqa: D102 - create, update and delete are described by Model

from __future__ import annotations

import json
from typing import Any

from .base import Context, Created, Existing, Model, Properties, only


def _text(policy: Any) -> str:
    return policy if isinstance(policy, str) else json.dumps(policy)


class Role(Model):
    """A role with its inline and attached policies."""

    type = "AWS::IAM::Role"

    def create(self, context: Context, properties: Properties) -> Created:
        iam = context.client("iam")
        name = properties.get("RoleName") or context.generated_name(64)
        role = iam.create_role(
            RoleName=name,
            AssumeRolePolicyDocument=_text(properties["AssumeRolePolicyDocument"]),
            **context.tagged(properties),
            **only(properties, "Path", "Description", "MaxSessionDuration", "PermissionsBoundary"),
        )["Role"]
        context.claim(name)
        self._attach(iam, name, properties)
        return Created(name, {"Arn": role["Arn"], "RoleId": role["RoleId"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        iam, name = context.client("iam"), existing.physical_id
        trust = _text(properties["AssumeRolePolicyDocument"])
        iam.update_assume_role_policy(RoleName=name, PolicyDocument=trust)
        iam.update_role(RoleName=name, **only(properties, "Description", "MaxSessionDuration"))
        self._detach(iam, name, existing.properties)
        self._attach(iam, name, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        iam = context.client("iam")
        self._detach(iam, existing.physical_id, existing.properties)
        iam.delete_role(RoleName=existing.physical_id)

    @staticmethod
    def _attach(iam: Any, name: str, properties: Properties) -> None:
        for arn in properties.get("ManagedPolicyArns", []):
            iam.attach_role_policy(RoleName=name, PolicyArn=arn)
        for policy in properties.get("Policies", []):
            document = _text(policy["PolicyDocument"])
            iam.put_role_policy(RoleName=name, PolicyName=policy["PolicyName"], PolicyDocument=document)

    @staticmethod
    def _detach(iam: Any, name: str, properties: Properties) -> None:
        for arn in properties.get("ManagedPolicyArns", []):
            iam.detach_role_policy(RoleName=name, PolicyArn=arn)
        for policy in properties.get("Policies", []):
            iam.delete_role_policy(RoleName=name, PolicyName=policy["PolicyName"])


class Policy(Model):
    """An inline policy of roles."""

    type = "AWS::IAM::Policy"

    def create(self, context: Context, properties: Properties) -> Created:
        document = _text(properties["PolicyDocument"])
        for role in properties.get("Roles", []):
            context.client("iam").put_role_policy(
                RoleName=role, PolicyName=properties["PolicyName"], PolicyDocument=document
            )
        return Created(context.generated_name(64), {})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self.delete(context, existing)
        self.create(context, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        iam, name = context.client("iam"), existing.properties["PolicyName"]
        for role in existing.properties.get("Roles", []):
            try:
                iam.delete_role_policy(RoleName=role, PolicyName=name)
            except iam.exceptions.NoSuchEntityException:
                continue  # gone with its role


class ManagedPolicy(Model):
    """A customer-managed policy."""

    type = "AWS::IAM::ManagedPolicy"

    def create(self, context: Context, properties: Properties) -> Created:
        iam = context.client("iam")
        arn = iam.create_policy(
            PolicyName=properties.get("ManagedPolicyName") or context.generated_name(128),
            PolicyDocument=_text(properties["PolicyDocument"]),
            **only(properties, "Path", "Description"),
        )["Policy"]["Arn"]
        context.claim(arn)
        for role in properties.get("Roles", []):
            iam.attach_role_policy(RoleName=role, PolicyArn=arn)
        return Created(arn, {"PolicyArn": arn})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        iam, arn = context.client("iam"), existing.physical_id
        old, new = (set(p.get("Roles", [])) for p in (existing.properties, properties))
        for role in sorted(old - new):
            iam.detach_role_policy(RoleName=role, PolicyArn=arn)
        for role in sorted(new - old):
            iam.attach_role_policy(RoleName=role, PolicyArn=arn)
        if properties["PolicyDocument"] != existing.properties["PolicyDocument"]:
            self._forget_old_versions(iam, arn)
            document = _text(properties["PolicyDocument"])
            iam.create_policy_version(PolicyArn=arn, PolicyDocument=document, SetAsDefault=True)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        iam, arn = context.client("iam"), existing.physical_id
        attached = iam.list_entities_for_policy(PolicyArn=arn)
        for role in attached["PolicyRoles"]:
            iam.detach_role_policy(RoleName=role["RoleName"], PolicyArn=arn)
        self._forget_old_versions(iam, arn)
        iam.delete_policy(PolicyArn=arn)

    @staticmethod
    def _forget_old_versions(iam: Any, arn: str) -> None:
        for version in iam.list_policy_versions(PolicyArn=arn)["Versions"]:
            if not version["IsDefaultVersion"]:
                iam.delete_policy_version(PolicyArn=arn, VersionId=version["VersionId"])


class InstanceProfile(Model):
    """The role of an instance."""

    type = "AWS::IAM::InstanceProfile"

    def create(self, context: Context, properties: Properties) -> Created:
        iam = context.client("iam")
        name = properties.get("InstanceProfileName") or context.generated_name(128)
        profile = iam.create_instance_profile(InstanceProfileName=name, **only(properties, "Path"))
        for role in properties["Roles"]:
            iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
        return Created(name, {"Arn": profile["InstanceProfile"]["Arn"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        iam, name = context.client("iam"), existing.physical_id
        for role in existing.properties["Roles"]:
            iam.remove_role_from_instance_profile(InstanceProfileName=name, RoleName=role)
        for role in properties["Roles"]:
            iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        iam, name = context.client("iam"), existing.physical_id
        for role in existing.properties["Roles"]:
            iam.remove_role_from_instance_profile(InstanceProfileName=name, RoleName=role)
        iam.delete_instance_profile(InstanceProfileName=name)


MODELS = (Role(), Policy(), ManagedPolicy(), InstanceProfile())
