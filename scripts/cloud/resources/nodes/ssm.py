"""Parameter Store, documents and their associations, over Systems Manager."""

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


def _retag(context: Context, kind: str, name: str, old: Properties, new: Properties) -> None:
    ssm, before, after = context.client("ssm"), tag_mapping(old), context.tags(new)
    resource = {"ResourceType": kind, "ResourceId": name}
    if set(before) - set(after):
        ssm.remove_tags_from_resource(**resource, TagKeys=sorted(set(before) - set(after)))
    if after and after != before:
        ssm.add_tags_to_resource(**resource, Tags=context.tag_list(new))


class Parameter(Model):
    """A value in Parameter Store."""

    type = "AWS::SSM::Parameter"

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties.get("Name") or context.generated_name(128)
        tags = context.tagged(properties)
        context.client("ssm").put_parameter(Name=name, Overwrite=False, **self._request(properties), **tags)
        return Created(name, self._attributes(context, name, properties))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        name = existing.physical_id
        context.client("ssm").put_parameter(Name=name, Overwrite=True, **self._request(properties))
        _retag(context, "Parameter", name, existing.properties, properties)
        return self._attributes(context, name, properties)

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ssm").delete_parameter(Name=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("ssm").get_parameter, Name=existing.physical_id)
        return None if answer is None else only(answer["Parameter"], "Type", "Value", "DataType")

    @staticmethod
    def _request(properties: Properties) -> dict[str, Any]:
        return only(properties, "Type", "Value", "Description", "AllowedPattern", "Tier", "DataType")

    @staticmethod
    def _attributes(context: Context, name: str, properties: Properties) -> Properties:
        arn = f"arn:aws:ssm:{context.region}:{context.account_id}:parameter/{name.lstrip('/')}"
        return {**only(properties, "Type", "Value"), "Arn": arn}


class Document(Model):
    """A document: a session, a command or an automation; a change makes a new version."""

    type = "AWS::SSM::Document"
    _NAMES = ("DocumentFormat", "TargetType", "VersionName")

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties.get("Name") or context.generated_name(128)
        context.client("ssm").create_document(
            Name=name,
            Content=text_of(properties["Content"]),
            **only(properties, *self._NAMES, "DocumentType", "Requires"),
            **context.tagged(properties),
        )
        return Created(name)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        ssm, name = context.client("ssm"), existing.physical_id
        if properties["Content"] != existing.properties["Content"]:
            text, settings = text_of(properties["Content"]), only(properties, *self._NAMES)
            told = ssm.update_document(Name=name, Content=text, DocumentVersion="$LATEST", **settings)
            version = told["DocumentDescription"]["DocumentVersion"]
            ssm.update_document_default_version(Name=name, DocumentVersion=version)
        _retag(context, "Document", name, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ssm").delete_document(Name=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ssm, name = context.client("ssm"), existing.physical_id
        # services say InvalidDocument both of what is wrong and of what is gone: ask the list first
        listed = ssm.list_documents(Filters=[{"Key": "Owner", "Values": ["Self"]}])["DocumentIdentifiers"]
        if all(document["Name"] != name for document in listed):
            return None
        told = ssm.get_document(Name=name)
        return known(Content=document_of(told["Content"]), **only(told, "DocumentFormat", "DocumentType"))


class Association(Model):
    """A document that is applied to nodes on a schedule."""

    type = "AWS::SSM::Association"
    _NAMES = (
        "ApplyOnlyAtCronInterval",
        "AssociationName",
        "AutomationTargetParameterName",
        "ComplianceSeverity",
        "DocumentVersion",
        "MaxConcurrency",
        "MaxErrors",
        "Name",
        "OutputLocation",
        "Parameters",
        "ScheduleExpression",
        "SyncCompliance",
        "Targets",
    )

    def create(self, context: Context, properties: Properties) -> Created:
        request = only(properties, *self._NAMES, "InstanceId")
        told = context.client("ssm").create_association(**request)["AssociationDescription"]
        return Created(told["AssociationId"], {"AssociationId": told["AssociationId"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        request = only(properties, *self._NAMES)
        context.client("ssm").update_association(AssociationId=existing.physical_id, **request)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ssm").delete_association(AssociationId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("ssm").describe_association, AssociationId=existing.physical_id)
        return None if answer is None else known(**only(answer["AssociationDescription"], *self._NAMES))


MODELS = (Parameter(), Document(), Association())
