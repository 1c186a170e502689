"""Template rules that check whether downloads in user data are pinned and reachable."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from config.catalog import catalog
from config.design.network.closure import Mention, mentions
from config.rules.deployed import machines as codes

from .capacity.interfaces import TEMPLATE, data_of
from .reading import text_at
from .registry import Resource, Violation, rule

_AT = "LaunchTemplateData/UserData"
_WAYS_OUT = ("AWS::EC2::InternetGateway", "AWS::EC2::NatGateway", "AWS::EC2::TransitGatewayAttachment")
_ENDPOINT = "AWS::EC2::VPCEndpoint"


def _fetched(resource: Resource) -> tuple[Mention, ...]:
    """Return the downloads in the user data; empty if the user data is not known yet."""
    text = text_at(data_of(resource.properties), "UserData")
    if text is None:
        return ()
    try:
        return mentions(base64.b64decode(text, validate=True).decode("utf-8", "replace"))
    except (binascii.Error, ValueError):
        return mentions(text)


@rule(codes.PINNED, TEMPLATE)
def what_nodes_fetch_is_pinned(resource: Resource) -> Iterator[Violation]:
    """Report downloads of branches, of `latest` and of packages without a version."""
    for mention in _fetched(resource):
        if mention.moving:
            message = f"the {mention.kind} {mention.name} is not pinned and can change"
            yield Violation(_AT, message, "pin a version, a digest or a commit")


@rule(codes.WITHIN_REACH, TEMPLATE)
def what_nodes_fetch_is_within_reach(resource: Resource) -> Iterator[Violation]:
    """Report downloads from internet hosts if the stack's network has endpoints but no internet access."""
    kinds = {sibling.type for sibling in resource.siblings.values()}
    if _ENDPOINT not in kinds or kinds & set(_WAYS_OUT):
        return
    for mention in _fetched(resource):
        if mention.kind != "bucket" and not _is_reached(mention.name, resource.region):
            message = (
                f"the {mention.kind} {mention.name} is not reachable: the network has no internet access"
            )
            yield Violation(
                _AT, message, "copy the files to an S3 bucket or to ECR, and download them from there"
            )


def _is_reached(name: str, region: str) -> bool:
    """Return whether a host is reachable through a VPC endpoint or is on the instance itself."""
    host = name.partition("/")[0]
    services = {part for endpoint in catalog().endpoints for part in endpoint.split(".")}
    own = host.endswith((f".{region}.amazonaws.com", f".{region}.api.aws"))
    return host.startswith("169.254.") or (own and bool(services & set(host.split("."))))
