"""Roles, policies and instance profiles, over moto's IAM."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from typing import Any

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    found,
    known,
    only,
    tag_mapping,
    text_of,
)


class Role(Model):
    """A role with its inline and attached policies."""

    type = "AWS::IAM::Role"

    def create(self, context: Context, properties: Properties) -> Created:
        iam = context.client("iam")
        name = properties.get("RoleName") or context.generated_name(64)
        role = iam.create_role(
            RoleName=name,
            AssumeRolePolicyDocument=text_of(properties["AssumeRolePolicyDocument"]),
            **context.tagged(properties),
            **only(properties, "Path", "Description", "MaxSessionDuration", "PermissionsBoundary"),
        )["Role"]
        context.claim(name)
        self._attach(iam, name, properties)
        return Created(name, {"Arn": role["Arn"], "RoleId": role["RoleId"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        iam, name = context.client("iam"), existing.physical_id
        trust = text_of(properties["AssumeRolePolicyDocument"])
        iam.update_assume_role_policy(RoleName=name, PolicyDocument=trust)
        iam.update_role(RoleName=name, **only(properties, "Description", "MaxSessionDuration"))
        boundary, before = (p.get("PermissionsBoundary") for p in (properties, existing.properties))
        if boundary and boundary != before:
            iam.put_role_permissions_boundary(RoleName=name, PermissionsBoundary=boundary)
        elif before and not boundary:
            iam.delete_role_permissions_boundary(RoleName=name)
        tags, wanted = tag_mapping(existing.properties), context.tags(properties)
        if set(tags) - set(wanted):
            iam.untag_role(RoleName=name, TagKeys=sorted(set(tags) - set(wanted)))
        if wanted and wanted != tags:
            iam.tag_role(RoleName=name, Tags=context.tag_list(properties))
        self._detach(iam, name, existing.properties)
        self._attach(iam, name, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        iam = context.client("iam")
        self._detach(iam, existing.physical_id, existing.properties)
        iam.delete_role(RoleName=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        iam, role = context.client("iam"), {"RoleName": existing.physical_id}
        answer = found(iam.get_role, **role)
        if answer is None:
            return None
        told = answer["Role"]
        attached = [p["PolicyArn"] for p in iam.list_attached_role_policies(**role)["AttachedPolicies"]]
        own = existing.properties.get("ManagedPolicyArns", [])
        # policies of the account that other resources attach are theirs to tell
        arns = sorted(arn for arn in attached if arn in own or arn.startswith("arn:aws:iam::aws:"))
        return known(
            **only(told, "AssumeRolePolicyDocument", "Description", "MaxSessionDuration"),
            PermissionsBoundary=told.get("PermissionsBoundary", {}).get("PermissionsBoundaryArn"),
            ManagedPolicyArns=arns,
            Policies=[
                {"PolicyName": policy["PolicyName"], "PolicyDocument": inline["PolicyDocument"]}
                for policy in existing.properties.get("Policies", [])
                if (inline := found(iam.get_role_policy, **role, PolicyName=policy["PolicyName"]))
            ],
            Tags=sorted(told.get("Tags", []), key=lambda tag: str(tag["Key"])),
        )

    @staticmethod
    def _attach(iam: Any, name: str, properties: Properties) -> None:
        for arn in properties.get("ManagedPolicyArns", []):
            iam.attach_role_policy(RoleName=name, PolicyArn=arn)
        for policy in properties.get("Policies", []):
            document = text_of(policy["PolicyDocument"])
            iam.put_role_policy(RoleName=name, PolicyName=policy["PolicyName"], PolicyDocument=document)

    @staticmethod
    def _detach(iam: Any, name: str, properties: Properties) -> None:
        """Take off what is there of these; what was never put on, in a change that failed, is passed by."""
        policies = iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
        attached = {policy["PolicyArn"] for policy in policies}
        for arn in attached & set(properties.get("ManagedPolicyArns", [])):
            iam.detach_role_policy(RoleName=name, PolicyArn=arn)
        inline = set(iam.list_role_policies(RoleName=name)["PolicyNames"])
        for policy in inline & {policy["PolicyName"] for policy in properties.get("Policies", [])}:
            iam.delete_role_policy(RoleName=name, PolicyName=policy)


class Policy(Model):
    """An inline policy of roles."""

    type = "AWS::IAM::Policy"

    def create(self, context: Context, properties: Properties) -> Created:
        document = text_of(properties["PolicyDocument"])
        for role in properties.get("Roles", []):
            context.client("iam").put_role_policy(
                RoleName=role, PolicyName=properties["PolicyName"], PolicyDocument=document
            )
        policy_id = context.generated_name(64)
        return Created(policy_id, {"Id": policy_id})

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

    def read(self, context: Context, existing: Existing) -> Properties | None:
        iam, name = context.client("iam"), existing.properties["PolicyName"]
        told = {}
        for role in sorted(existing.properties.get("Roles", [])):
            answer = found(iam.get_role_policy, RoleName=role, PolicyName=name)
            if answer is not None:
                told[role] = answer["PolicyDocument"]
        if not told:
            return None
        first = next(iter(told.values()))
        same = all(document == first for document in told.values())
        return {"PolicyDocument": first if same else list(told.values()), "Roles": list(told)}


class ManagedPolicy(Model):
    """A customer-managed policy."""

    type = "AWS::IAM::ManagedPolicy"

    def create(self, context: Context, properties: Properties) -> Created:
        iam = context.client("iam")
        arn = iam.create_policy(
            PolicyName=properties.get("ManagedPolicyName") or context.generated_name(128),
            PolicyDocument=text_of(properties["PolicyDocument"]),
            **only(properties, "Path", "Description"),
        )["Policy"]["Arn"]
        context.claim(arn)
        for role in properties.get("Roles", []):
            iam.attach_role_policy(RoleName=role, PolicyArn=arn)
        return Created(arn, self._attributes(iam, arn))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        iam, arn = context.client("iam"), existing.physical_id
        old, new = (set(p.get("Roles", [])) for p in (existing.properties, properties))
        for role in sorted(old - new):
            iam.detach_role_policy(RoleName=role, PolicyArn=arn)
        for role in sorted(new - old):
            iam.attach_role_policy(RoleName=role, PolicyArn=arn)
        if properties["PolicyDocument"] != existing.properties["PolicyDocument"]:
            self._forget_old_versions(iam, arn)
            document = text_of(properties["PolicyDocument"])
            iam.create_policy_version(PolicyArn=arn, PolicyDocument=document, SetAsDefault=True)
        return self._attributes(iam, arn)

    def delete(self, context: Context, existing: Existing) -> None:
        iam, arn = context.client("iam"), existing.physical_id
        attached = iam.list_entities_for_policy(PolicyArn=arn)
        for role in attached["PolicyRoles"]:
            iam.detach_role_policy(RoleName=role["RoleName"], PolicyArn=arn)
        self._forget_old_versions(iam, arn)
        iam.delete_policy(PolicyArn=arn)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        iam, arn = context.client("iam"), existing.physical_id
        answer = found(iam.get_policy, PolicyArn=arn)
        if answer is None:
            return None
        version = answer["Policy"]["DefaultVersionId"]
        document = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]
        roles = iam.list_entities_for_policy(PolicyArn=arn)["PolicyRoles"]
        own = existing.properties.get("Roles", [])  # those that name the policy themselves tell it
        names = sorted(role["RoleName"] for role in roles if role["RoleName"] in own)
        return known(**only(answer["Policy"], "Description"), PolicyDocument=document, Roles=names)

    @staticmethod
    def _attributes(iam: Any, arn: str) -> Properties:
        told = iam.get_policy(PolicyArn=arn)["Policy"]
        names = ("DefaultVersionId", "IsAttachable", "PermissionsBoundaryUsageCount", "PolicyId")
        times = {name: told[name].isoformat() for name in ("CreateDate", "UpdateDate")}
        told = {"PermissionsBoundaryUsageCount": 0, **told}
        return {"PolicyArn": arn, **only(told, "AttachmentCount", *names), **times}

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
        context.claim(name)
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
        profile = iam.get_instance_profile(InstanceProfileName=name)["InstanceProfile"]
        for role in profile["Roles"]:
            iam.remove_role_from_instance_profile(InstanceProfileName=name, RoleName=role["RoleName"])
        iam.delete_instance_profile(InstanceProfileName=name)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("iam").get_instance_profile
        answer = found(ask, InstanceProfileName=existing.physical_id)
        if answer is None:
            return None
        return {"Roles": [role["RoleName"] for role in answer["InstanceProfile"]["Roles"]]}


MODELS = (Role(), Policy(), ManagedPolicy(), InstanceProfile())
