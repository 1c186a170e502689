"""EKS add-ons, access entries and pod identity associations."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel, call
from scripts.cloud.resources.base import Context, Existing, Properties, only
from scripts.cloud.resources.casing import pascal


class Addon(ApiModel):
    """An EKS add-on."""

    type = "AWS::EKS::Addon"
    service, noun = "eks", "addon"
    key = ("clusterName:ClusterName", "addonName:AddonName", "preserve:PreserveOnDelete")
    ref = "{ClusterName}|{AddonName}"


class AccessEntry(ApiModel):
    """An access entry with its policies."""

    type = "AWS::EKS::AccessEntry"
    service, noun = "eks", "access_entry"
    key = ("clusterName:ClusterName", "principalArn:PrincipalArn")
    ref = "{PrincipalArn}|{ClusterName}"
    emptied = ("KubernetesGroups",)

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        old, new = (
            {p["PolicyArn"]: p for p in x.get("AccessPolicies", [])}
            for x in (existing.properties, properties)
        )
        entry = {"clusterName": properties["ClusterName"], "principalArn": properties["PrincipalArn"]}
        for arn in sorted(set(old) - set(new)):
            client.disassociate_access_policy(**entry, policyArn=arn)
        for arn, policy in new.items():
            if policy != old.get(arn):
                call(client, "associate_access_policy", policy, **entry)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        eks = context.client("eks")
        entry = self.request(context, "list_associated_access_policies", existing)
        policies = eks.list_associated_access_policies(**entry)["associatedAccessPolicies"]
        listed = [pascal(only(policy, "policyArn", "accessScope")) for policy in policies]
        in_order = sorted(listed, key=lambda policy: str(policy["PolicyArn"]))
        return super().properties(context, existing, {**record, "AccessPolicies": in_order})


class PodIdentityAssociation(ApiModel):
    """An association of an IAM role with a Kubernetes service account."""

    type = "AWS::EKS::PodIdentityAssociation"
    service, noun = "eks", "pod_identity_association"
    key = ("clusterName:ClusterName", "associationId:AssociationId")
    ref = "{AssociationArn}"

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        return super().attributes(context, existing, {"ExternalId": "", **made})
