"""Parameter Store, documents and associations, on Systems Manager."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from typing import Any

from scripts.cloud.resources.api import ApiModel, call, retag
from scripts.cloud.resources.base import Context, Existing, Properties


class _Ssm(ApiModel):
    service = "ssm"
    key = ("Name",)
    named = ("Name", "Name", 128)

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        resource = {"ResourceType": self.noun.title(), "ResourceId": existing.physical_id}
        retag(context, "ssm", resource, existing.properties, properties)


class Parameter(_Ssm):
    """A parameter in Parameter Store."""

    type = "AWS::SSM::Parameter"
    noun = "parameter"
    creates = updates = "put_{}"
    reads = "get_{}"
    shown = ("Type", "Value")
    refreshed = True

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        return {**new, "Overwrite": old is not None}

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        arn = context.arn("ssm", f"parameter/{existing.physical_id.lstrip('/')}")
        return super().attributes(context, existing, made) | {"Arn": arn}


class Document(_Ssm):
    """A session, command or automation document; an update creates a new version."""

    type = "AWS::SSM::Document"
    noun = "document"
    updates = ""
    reads = "get_{}"

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        name, before = existing.physical_id, existing.properties.get("Content")
        if before and properties["Content"] != before:
            record = call(client, "update_document", properties, Name=name, DocumentVersion="$LATEST")
            version = record["DocumentDescription"]["DocumentVersion"]
            client.update_document_default_version(Name=name, DocumentVersion=version)

    def described(self, context: Context, existing: Existing) -> dict[str, Any] | None:
        # SSM returns InvalidDocument for invalid and for missing documents, so the list is queried first
        listed = context.client("ssm").list_documents(Filters=[{"Key": "Owner", "Values": ["Self"]}])
        names = [document["Name"] for document in listed["DocumentIdentifiers"]]
        return super().described(context, existing) if existing.physical_id in names else None


class Association(ApiModel):
    """A document that is applied to nodes on a schedule."""

    type = "AWS::SSM::Association"
    service, noun = "ssm", "association"
    key = ("AssociationId",)
    ref = "{AssociationId}"
