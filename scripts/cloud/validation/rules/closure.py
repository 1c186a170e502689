"""What nodes fetch at boot: pinned, and within reach of their network."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from config.catalog import catalog
from config.design.network.closure import Mention, mentions
from config.rules.deployed import machines as codes

from .capacity.interfaces import TEMPLATE, data_of
from .reading import text_at
from .registry import Refusal, Resource, rule

_AT = "LaunchTemplateData/UserData"
_WAYS_OUT = ("AWS::EC2::InternetGateway", "AWS::EC2::NatGateway", "AWS::EC2::TransitGatewayAttachment")
_ENDPOINT = "AWS::EC2::VPCEndpoint"


def _fetched(resource: Resource) -> tuple[Mention, ...]:
    """What the user data fetches, where it is known."""
    text = text_at(data_of(resource.properties), "UserData")
    if text is None:
        return ()
    try:
        return mentions(base64.b64decode(text, validate=True).decode("utf-8", "replace"))
    except (binascii.Error, ValueError):
        return mentions(text)


@rule(codes.PINNED, TEMPLATE)
def what_nodes_fetch_is_pinned(resource: Resource) -> Iterator[Refusal]:
    """Branches, `latest`, packages without a version."""
    for mention in _fetched(resource):
        if mention.moving:
            told = f"the {mention.kind} {mention.name} is not the same tomorrow"
            yield Refusal(_AT, told, "name a version, a digest or a commit")


@rule(codes.WITHIN_REACH, TEMPLATE)
def what_nodes_fetch_is_within_reach(resource: Resource) -> Iterator[Refusal]:
    """Hosts of the internet, where the stack's network has endpoints and no way out."""
    kinds = {sibling.type for sibling in resource.siblings.values()}
    if _ENDPOINT not in kinds or kinds & set(_WAYS_OUT):
        return
    for mention in _fetched(resource):
        if mention.kind != "bucket" and not _is_reached(mention.name, resource.region):
            told = f"the {mention.kind} {mention.name}, in a network without a way out"
            yield Refusal(_AT, told, "copy it to a bucket or to ECR, and fetch it from there")


def _is_reached(name: str, region: str) -> bool:
    """Whether an endpoint answers for a name: one of the Region's services, or the machine itself."""
    host = name.partition("/")[0]
    services = {part for endpoint in catalog().endpoints for part in endpoint.split(".")}
    own = host.endswith((f".{region}.amazonaws.com", f".{region}.api.aws"))
    return host.startswith("169.254.") or (own and bool(services & set(host.split("."))))
