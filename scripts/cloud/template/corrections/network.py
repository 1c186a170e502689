"""Corrections for EC2 networks: conditions under which a change replaces a resource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloud.template.effects import Effect

from .model import Change, Correct, Correction

_VPC = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-vpc.html"
_DETACH = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DetachInternetGateway.html"


def _tenancy(change: Change) -> Iterator[Correction]:
    was, will = (value or "default" for value in change.sides("InstanceTenancy"))
    if (was, will) == ("dedicated", "default"):
        reason = "dedicated tenancy becomes default in place"
        yield Correction(("InstanceTenancy",), Effect.IN_PLACE, reason, _VPC)
    elif was == will:
        yield Correction(("InstanceTenancy",), Effect.IN_PLACE, "the default value is now explicit", _VPC)
    else:
        reason = f"tenancy changes from {was} to {will} only in a new VPC"
        yield Correction(("InstanceTenancy",), Effect.REPLACEMENT, reason, _VPC)


def _gateway(change: Change) -> Iterator[Correction]:
    for name in ("InternetGatewayId", "VpcId"):
        if change.differs(name):
            reason = (
                "a gateway cannot be detached while the VPC has public addresses, for example of a NAT "
                "gateway"
            )
            yield Correction((name,), Effect.REFUSED, reason, _DETACH, "create an additional attachment")


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    "AWS::EC2::VPC": (_tenancy,),
    "AWS::EC2::VPCGatewayAttachment": (_gateway,),
}
