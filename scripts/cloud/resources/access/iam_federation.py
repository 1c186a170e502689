"""Identity providers and service-linked roles, on IAM."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel, retag
from scripts.cloud.resources.base import Context, Existing, Properties
from scripts.cloud.template.errors import ResourceFailedError


class OIDCProvider(ApiModel):
    """The identity provider of a Kubernetes cluster, for roles of service accounts."""

    type = "AWS::IAM::OIDCProvider"
    service, noun = "iam", "open_id_connect_provider"
    reads, updates = "get_{}", "update_{}_thumbprint"
    key = ("OpenIDConnectProviderArn",)
    ref = "{OpenIDConnectProviderArn}"

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        return {"Arn": existing.physical_id}

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        provider = {"OpenIDConnectProviderArn": existing.physical_id}
        after = set(properties.get("ClientIdList", []))
        before = set(existing.properties.get("ClientIdList", [])) if existing.properties else after
        for client_id in sorted(after - before):
            client.add_client_id_to_open_id_connect_provider(**provider, ClientID=client_id)
        for client_id in sorted(before - after):
            client.remove_client_id_from_open_id_connect_provider(**provider, ClientID=client_id)

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        methods = ("untag_open_id_connect_provider", "tag_open_id_connect_provider")
        retag(context, "iam", existing.physical_id, existing.properties, properties, methods)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        kept = super().properties(context, existing, record)
        return {name: sorted(value) if name.endswith("List") else value for name, value in kept.items()}


class ServiceLinkedRole(ApiModel):
    """A service-linked role. An account has one for each service; it can exist before the stack."""

    type = "AWS::IAM::ServiceLinkedRole"
    service, noun = "iam", "service_linked_role"
    updates, reads = "update_role", "get_role"
    key = ("RoleName",)
    ref = "{RoleName}"
    emptied = ("Description",)

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        if "AWSServiceName" not in new:
            raise ResourceFailedError("AWSServiceName is required for a service-linked role")
        return new

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        return {"RoleName": existing.physical_id}
