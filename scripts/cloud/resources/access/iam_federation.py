"""Identity providers and service-linked roles, over IAM."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

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
)
from scripts.cloud.template.errors import ResourceFailedError


class OIDCProvider(Model):
    """The identity provider of a Kubernetes cluster, for roles of service accounts."""

    type = "AWS::IAM::OIDCProvider"

    def create(self, context: Context, properties: Properties) -> Created:
        arn = context.client("iam").create_open_id_connect_provider(
            Url=properties["Url"],
            ClientIDList=properties.get("ClientIdList", []),
            ThumbprintList=properties.get("ThumbprintList", []),
            **context.tagged(properties),
        )["OpenIDConnectProviderArn"]
        return Created(arn, {"Arn": arn})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        iam, provider = context.client("iam"), {"OpenIDConnectProviderArn": existing.physical_id}
        before, after = (set(p.get("ClientIdList", [])) for p in (existing.properties, properties))
        for client_id in sorted(after - before):
            iam.add_client_id_to_open_id_connect_provider(**provider, ClientID=client_id)
        for client_id in sorted(before - after):
            iam.remove_client_id_from_open_id_connect_provider(**provider, ClientID=client_id)
        if "ThumbprintList" in properties:
            thumbprints = properties["ThumbprintList"]
            iam.update_open_id_connect_provider_thumbprint(**provider, ThumbprintList=thumbprints)
        tags, wanted = tag_mapping(existing.properties), context.tags(properties)
        if set(tags) - set(wanted):
            iam.untag_open_id_connect_provider(**provider, TagKeys=sorted(set(tags) - set(wanted)))
        if wanted and wanted != tags:
            iam.tag_open_id_connect_provider(**provider, Tags=context.tag_list(properties))
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        provider = {"OpenIDConnectProviderArn": existing.physical_id}
        context.client("iam").delete_open_id_connect_provider(**provider)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("iam").get_open_id_connect_provider
        answer = found(ask, OpenIDConnectProviderArn=existing.physical_id)
        if answer is None:
            return None
        lists = known(ClientIdList=answer.get("ClientIDList"), ThumbprintList=answer.get("ThumbprintList"))
        return only(answer, "Url") | {name: sorted(values) for name, values in lists.items()}


class ServiceLinkedRole(Model):
    """The role of a service of AWS itself: the account has one, whoever made it."""

    type = "AWS::IAM::ServiceLinkedRole"

    def create(self, context: Context, properties: Properties) -> Created:
        if "AWSServiceName" not in properties:
            raise ResourceFailedError("AWSServiceName is needed to make a service-linked role")
        request = only(properties, "AWSServiceName", "CustomSuffix", "Description")
        name = context.client("iam").create_service_linked_role(**request)["Role"]["RoleName"]
        return Created(name, {"RoleName": name})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        described = {"Description": properties.get("Description", "")}
        context.client("iam").update_role(RoleName=existing.physical_id, **described)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("iam").delete_service_linked_role(RoleName=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("iam").get_role, RoleName=existing.physical_id)
        return None if answer is None else known(**only(answer["Role"], "Description"))


MODELS = (OIDCProvider(), ServiceLinkedRole())
