"""IAM roles, policies and instance profiles, on moto's IAM."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel, retag
from scripts.cloud.resources.base import Context, Created, Existing, Model, Properties, found, text_of


class Role(ApiModel):
    """A role with its inline and attached policies."""

    type = "AWS::IAM::Role"
    service, noun = "iam", "role"
    reads = "get_{}"
    named = ("RoleName", "RoleName", 64)
    key = ("RoleName",)

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        role, old = {"RoleName": existing.physical_id}, existing.properties
        if old:
            trust = text_of(properties["AssumeRolePolicyDocument"])
            client.update_assume_role_policy(**role, PolicyDocument=trust)
            boundary, before = (p.get("PermissionsBoundary") for p in (properties, old))
            if boundary and boundary != before:
                client.put_role_permissions_boundary(**role, PermissionsBoundary=boundary)
            elif before and not boundary:
                client.delete_role_permissions_boundary(**role)
            self._detach(client, existing.physical_id, old)
        self._attach(client, existing.physical_id, properties)

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        methods = ("untag_role", "tag_role")
        retag(context, "iam", existing.physical_id, existing.properties, properties, methods)

    def delete(self, context: Context, existing: Existing) -> None:
        self._detach(context.client("iam"), existing.physical_id, existing.properties)
        super().delete(context, existing)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        iam, role = context.client("iam"), {"RoleName": existing.physical_id}
        attached = [p["PolicyArn"] for p in iam.list_attached_role_policies(**role)["AttachedPolicies"]]
        own = existing.properties.get("ManagedPolicyArns", [])
        # policies that other resources attach are read with those resources
        arns = sorted(arn for arn in attached if arn in own or arn.startswith("arn:aws:iam::aws:"))
        more = {
            "PermissionsBoundary": record.get("PermissionsBoundary", {}).get("PermissionsBoundaryArn"),
            "ManagedPolicyArns": arns,
            "Policies": [
                {"PolicyName": policy["PolicyName"], "PolicyDocument": inline["PolicyDocument"]}
                for policy in existing.properties.get("Policies", [])
                if (inline := found(iam.get_role_policy, **role, PolicyName=policy["PolicyName"]))
            ],
        }
        return super().properties(context, existing, {**record, **more})

    @staticmethod
    def _attach(iam: Any, name: str, properties: Properties) -> None:
        for arn in properties.get("ManagedPolicyArns", []):
            iam.attach_role_policy(RoleName=name, PolicyArn=arn)
        for policy in properties.get("Policies", []):
            document = text_of(policy["PolicyDocument"])
            iam.put_role_policy(RoleName=name, PolicyName=policy["PolicyName"], PolicyDocument=document)

    @staticmethod
    def _detach(iam: Any, name: str, properties: Properties) -> None:
        """Detach or delete these policies; skip those that the role does not have after a failed change."""
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
                continue  # deleted with its role

    def read(self, context: Context, existing: Existing) -> Properties | None:
        iam, name = context.client("iam"), existing.properties["PolicyName"]
        record = {}
        for role in sorted(existing.properties.get("Roles", [])):
            answer = found(iam.get_role_policy, RoleName=role, PolicyName=name)
            if answer is not None:
                record[role] = answer["PolicyDocument"]
        if not record:
            return None
        first = next(iter(record.values()))
        same = all(document == first for document in record.values())
        return {"PolicyDocument": first if same else list(record.values()), "Roles": list(record)}


class ManagedPolicy(ApiModel):
    """A customer-managed policy."""

    type = "AWS::IAM::ManagedPolicy"
    service, noun = "iam", "policy"
    reads, updates = "get_{}", ""
    named = ("ManagedPolicyName", "PolicyName", 128)
    key = ("PolicyArn",)
    ref = "{Arn}"
    refreshed = True

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        more = {"PermissionsBoundaryUsageCount": 0, **made, "PolicyArn": existing.physical_id}
        return super().attributes(context, existing, more)

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        arn, document = existing.physical_id, existing.properties.get("PolicyDocument")
        old, new = (set(p.get("Roles", [])) for p in (existing.properties, properties))
        for role in sorted(old - new):
            client.detach_role_policy(RoleName=role, PolicyArn=arn)
        for role in sorted(new - old):
            client.attach_role_policy(RoleName=role, PolicyArn=arn)
        if document and properties["PolicyDocument"] != document:
            self._forget_old_versions(client, arn)
            text = text_of(properties["PolicyDocument"])
            client.create_policy_version(PolicyArn=arn, PolicyDocument=text, SetAsDefault=True)

    def delete(self, context: Context, existing: Existing) -> None:
        iam, arn = context.client("iam"), existing.physical_id
        attached = iam.list_entities_for_policy(PolicyArn=arn)
        for role in attached["PolicyRoles"]:
            iam.detach_role_policy(RoleName=role["RoleName"], PolicyArn=arn)
        self._forget_old_versions(iam, arn)
        iam.delete_policy(PolicyArn=arn)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        iam, policy = context.client("iam"), {"PolicyArn": existing.physical_id}
        version = iam.get_policy_version(**policy, VersionId=record["DefaultVersionId"])["PolicyVersion"]
        roles = iam.list_entities_for_policy(**policy)["PolicyRoles"]
        # roles that name the policy themselves are read with those roles
        own = existing.properties.get("Roles", [])
        names = sorted(role["RoleName"] for role in roles if role["RoleName"] in own)
        more = {"PolicyDocument": version["Document"], "Roles": names}
        return super().properties(context, existing, {**record, **more})

    @staticmethod
    def _forget_old_versions(iam: Any, arn: str) -> None:
        for version in iam.list_policy_versions(PolicyArn=arn)["Versions"]:
            if not version["IsDefaultVersion"]:
                iam.delete_policy_version(PolicyArn=arn, VersionId=version["VersionId"])


class InstanceProfile(ApiModel):
    """An instance profile with its role."""

    type = "AWS::IAM::InstanceProfile"
    service, noun = "iam", "instance_profile"
    reads, updates = "get_{}", ""
    named = ("InstanceProfileName", "InstanceProfileName", 128)
    key = ("InstanceProfileName",)

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        profile = {"InstanceProfileName": existing.physical_id}
        for role in existing.properties.get("Roles", ()):
            client.remove_role_from_instance_profile(**profile, RoleName=role)
        for role in properties["Roles"]:
            client.add_role_to_instance_profile(**profile, RoleName=role)

    def delete(self, context: Context, existing: Existing) -> None:
        iam, profile = context.client("iam"), {"InstanceProfileName": existing.physical_id}
        for role in iam.get_instance_profile(**profile)["InstanceProfile"]["Roles"]:
            iam.remove_role_from_instance_profile(**profile, RoleName=role["RoleName"])
        super().delete(context, existing)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        return {"Roles": [role["RoleName"] for role in record["Roles"]]}
