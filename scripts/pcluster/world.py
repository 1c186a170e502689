"""The account that ParallelCluster is shown: moto, with the subnets, images and reservations that a test names.

Runs inside ParallelCluster's environment only.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

Json = dict[str, Any]


@contextlib.contextmanager
def account(world: Mapping[str, Any]) -> Iterator[Renaming]:
    """An account as `world` describes it, for the time of the context.

    `region`, `zone`; `subnets`: ids, each becomes one subnet of one VPC in that zone; `images`: architecture by
    id; `instance_types`: records of DescribeInstanceTypes by name, used for the types that moto lacks;
    `capacity_reservations`: records of DescribeCapacityReservations; `capacity_block_statuses`: records of
    DescribeCapacityBlockStatus.
    """
    import boto3
    from moto import mock_aws
    from pcluster.aws.aws_api import AWSApi  # type: ignore[import-not-found]

    with mock_aws():
        AWSApi.reset()
        ec2 = boto3.client("ec2", region_name=world["region"])
        renaming = Renaming({**_subnets(ec2, world), **_images(ec2, world["images"])})
        with _service(world, ec2):
            yield renaming


class Renaming:
    """Ids that a question names, against those that moto gave to the same things."""

    def __init__(self, ids: Mapping[str, str]) -> None:
        self._ids = ids

    def to_moto(self, document: Json) -> Json:
        """A copy with moto's ids."""
        return self._replaced(document, self._ids.items())

    def from_moto(self, document: Json) -> Json:
        """A copy with the question's ids."""
        return self._replaced(document, ((there, here) for here, there in self._ids.items()))

    def _replaced(self, document: Json, pairs: Any) -> Json:
        text = json.dumps(document)
        for old, new in pairs:
            text = text.replace(old, new)
        return cast(Json, json.loads(text))


def _subnets(ec2: Any, world: Mapping[str, Any]) -> dict[str, str]:
    """Subnets of one VPC with the DNS settings that ParallelCluster asks for."""
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    for attribute in ("EnableDnsSupport", "EnableDnsHostnames"):
        ec2.modify_vpc_attribute(VpcId=vpc, **{attribute: {"Value": True}})
    return {
        name: ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=world["zone"])[
            "Subnet"
        ]["SubnetId"]
        for number, name in enumerate(world["subnets"])
    }


def _images(ec2: Any, architectures: Mapping[str, str]) -> dict[str, str]:
    """An image of moto's own for each id: those that one registers have no architecture."""
    images = ec2.describe_images()["Images"]
    found = {
        architecture: next(
            image["ImageId"]
            for image in images
            if image["Architecture"] == architecture and image.get("PlatformDetails") != "Windows"
        )
        for architecture in set(architectures.values())
    }
    return {name: found[architecture] for name, architecture in architectures.items()}


@contextlib.contextmanager
def _service(world: Mapping[str, Any], ec2: Any) -> Iterator[None]:
    """Answers for what moto does not have, or has no opinion of."""
    from pcluster.aws.aws_api import AWSApi
    from pcluster.aws.ec2 import Ec2Client  # type: ignore[import-not-found]

    stubs: dict[str, Callable[..., Any]] = {
        "describe_capacity_reservations": _reservations(world["capacity_reservations"]),
        "describe_capacity_block_status": lambda client, *a, **k: world["capacity_block_statuses"],
        # moto's dry run refuses the instance store devices that every launch of ParallelCluster maps
        "run_instances": lambda client, **arguments: None,
    }
    kept = {name: getattr(Ec2Client, name) for name in stubs}
    for name, stub in stubs.items():
        setattr(Ec2Client, name, stub)
    AWSApi.instance().ec2.additional_instance_types_data = _instance_types(ec2, world["instance_types"])
    try:
        yield
    finally:
        for name, method in kept.items():
            setattr(Ec2Client, name, method)
        AWSApi.reset()


def _reservations(records: Sequence[Json]) -> Callable[..., list[Any]]:
    """DescribeCapacityReservations, which moto lacks: an unknown id is refused as EC2 does."""
    from pcluster.aws.aws_resources import CapacityReservationInfo  # type: ignore[import-not-found]
    from pcluster.aws.common import AWSClientError  # type: ignore[import-not-found]

    known = {record["CapacityReservationId"]: CapacityReservationInfo(record) for record in records}

    def describe(_: Any, ids: Sequence[str]) -> list[Any]:
        for missing in (name for name in ids if name not in known):
            raise AWSClientError("describe_capacity_reservations", f"{missing} does not exist")
        return [known[name] for name in ids]

    return describe


def _instance_types(ec2: Any, given: Mapping[str, Json]) -> dict[str, Json]:
    """Moto's record of a type, which is EC2's own answer, before the given one.

    Both count as offered here: moto's list of a Region's offers is older than the newest types.
    """
    captured = {
        record["InstanceType"]: record
        for page in ec2.get_paginator("describe_instance_types").paginate()
        for record in page["InstanceTypes"]
        if record["InstanceType"] in given
    }
    return {**given, **captured}
