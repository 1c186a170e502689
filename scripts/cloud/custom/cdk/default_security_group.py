"""Custom::VpcRestrictDefaultSG: removes the rules of a VPC's default security group."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from scripts.cloud.custom.providers import Behaviour, Call, Identity

from .responses import answering

if TYPE_CHECKING:
    from collections.abc import Iterator

IDENTITY = Identity(runtime="nodejs", resource_type="Custom::VpcRestrictDefaultSG")


def _handle(call: Call) -> None:
    ec2, kind, properties = (
        call.environment.client("ec2"),
        call.event["RequestType"],
        call.event["ResourceProperties"],
    )
    group, account = properties["DefaultSecurityGroupId"], properties["Account"]
    old = call.event.get("OldResourceProperties", {}).get("DefaultSecurityGroupId")
    if kind == "Delete":
        _allow(ec2, group, account)
    elif kind == "Create":
        _restrict(ec2, group, account)
    elif group != old:
        _allow(ec2, old, account)
        _restrict(ec2, group, account)


def _ingress(group: str, account: str) -> dict[str, Any]:
    pair = {"GroupId": group, "UserId": account}
    return {"GroupId": group, "IpPermissions": [{"UserIdGroupPairs": [pair], "IpProtocol": "-1"}]}


def _egress(group: str) -> dict[str, Any]:
    everywhere = {"IpRanges": [{"CidrIp": "0.0.0.0/0"}], "IpProtocol": "-1"}
    return {"GroupId": group, "IpPermissions": [everywhere]}


def _restrict(ec2: Any, group: str, account: str) -> None:
    with _gone_already():
        ec2.revoke_security_group_egress(**_egress(group))
    with _gone_already():
        ec2.revoke_security_group_ingress(**_ingress(group, account))


def _allow(ec2: Any, group: str, account: str) -> None:
    ec2.authorize_security_group_ingress(**_ingress(group, account))
    ec2.authorize_security_group_egress(**_egress(group))


@contextmanager
def _gone_already() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] != "InvalidPermission.NotFound":
            raise


BEHAVIOUR: Behaviour = answering(_handle)
