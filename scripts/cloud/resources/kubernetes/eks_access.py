"""What a Kubernetes cluster of EKS runs and who may use it: add-ons, access entries, roles of pods."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from typing import Any

from scripts.cloud.resources.base import Context, Created, Existing, Model, Properties, found, known, only
from scripts.cloud.resources.casing import camel, pascal


class Addon(Model):
    """An add-on that EKS installs and keeps."""

    type = "AWS::EKS::Addon"

    def create(self, context: Context, properties: Properties) -> Created:
        settings = {k: v for k, v in properties.items() if k != "PreserveOnDelete"}
        request = camel(settings) | {"tags": context.tags(properties)}
        addon = context.client("eks").create_addon(**request)["addon"]
        return Created(f"{addon['clusterName']}|{addon['addonName']}", {"Arn": addon["addonArn"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        names = (
            "AddonVersion",
            "ServiceAccountRoleArn",
            "ConfigurationValues",
            "ResolveConflicts",
            "PodIdentityAssociations",
        )
        context.client("eks").update_addon(**self._names(existing), **camel(only(properties, *names)))
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        preserve = bool(existing.properties.get("PreserveOnDelete"))
        context.client("eks").delete_addon(**self._names(existing), preserve=preserve)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("eks").describe_addon, **self._names(existing))
        names = ("addonVersion", "serviceAccountRoleArn", "configurationValues", "namespaceConfig")
        return None if answer is None else known(**pascal(only(answer["addon"], *names)))

    @staticmethod
    def _names(existing: Existing) -> dict[str, str]:
        return {
            "clusterName": existing.properties["ClusterName"],
            "addonName": existing.properties["AddonName"],
        }


class AccessEntry(Model):
    """Who may use the cluster, with which policies."""

    type = "AWS::EKS::AccessEntry"

    def create(self, context: Context, properties: Properties) -> Created:
        eks = context.client("eks")
        settings = {k: v for k, v in properties.items() if k != "AccessPolicies"}
        request = camel(settings) | {"tags": context.tags(properties)}
        entry = eks.create_access_entry(**request)["accessEntry"]
        physical_id = f"{entry['principalArn']}|{entry['clusterName']}"
        context.claim(physical_id)
        self._policies(eks, {}, properties)
        return Created(physical_id, {"AccessEntryArn": entry["accessEntryArn"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        eks = context.client("eks")
        groups = {"kubernetesGroups": properties.get("KubernetesGroups", [])}
        eks.update_access_entry(**_entry(properties), **groups, **camel(only(properties, "Username")))
        self._policies(eks, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("eks").delete_access_entry(**_entry(existing.properties))

    def read(self, context: Context, existing: Existing) -> Properties | None:
        eks, names = context.client("eks"), _entry(existing.properties)
        answer = found(eks.describe_access_entry, **names)
        if answer is None:
            return None
        policies = eks.list_associated_access_policies(**names)["associatedAccessPolicies"]
        return known(
            **pascal(only(answer["accessEntry"], "kubernetesGroups", "username", "type")),
            AccessPolicies=sorted(
                (pascal(only(policy, "policyArn", "accessScope")) for policy in policies),
                key=lambda policy: str(policy["PolicyArn"]),
            ),
        )

    @staticmethod
    def _policies(eks: Any, before: Properties, after: Properties) -> None:
        old, new = ({p["PolicyArn"]: p for p in x.get("AccessPolicies", [])} for x in (before, after))
        for arn in sorted(set(old) - set(new)):
            eks.disassociate_access_policy(**_entry(after), policyArn=arn)
        for arn, policy in new.items():
            if policy != old.get(arn):
                eks.associate_access_policy(**_entry(after), **camel(policy))


def _entry(properties: Properties) -> dict[str, str]:
    return {"clusterName": properties["ClusterName"], "principalArn": properties["PrincipalArn"]}


class PodIdentityAssociation(Model):
    """The role of the pods that run under a service account."""

    type = "AWS::EKS::PodIdentityAssociation"

    def create(self, context: Context, properties: Properties) -> Created:
        request = camel(properties) | {"tags": context.tags(properties)}
        made = context.client("eks").create_pod_identity_association(**request)["association"]
        attributes = {
            "AssociationArn": made["associationArn"],
            "AssociationId": made["associationId"],
            "ExternalId": made.get("externalId", ""),
        }
        return Created(made["associationArn"], attributes)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        names = ("RoleArn", "DisableSessionTags", "TargetRoleArn", "Policy")
        request = self._names(existing) | camel(only(properties, *names))
        context.client("eks").update_pod_identity_association(**request)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("eks").delete_pod_identity_association(**self._names(existing))

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("eks").describe_pod_identity_association, **self._names(existing))
        names = ("namespace", "serviceAccount", "roleArn", "disableSessionTags", "targetRoleArn", "policy")
        return None if answer is None else known(**pascal(only(answer["association"], *names)))

    @staticmethod
    def _names(existing: Existing) -> dict[str, str]:
        cluster = existing.properties["ClusterName"]
        return {"clusterName": cluster, "associationId": existing.attributes["AssociationId"]}


MODELS = (Addon(), AccessEntry(), PodIdentityAssociation())
