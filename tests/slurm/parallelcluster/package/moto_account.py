"""The AWS account for ParallelCluster: moto, with the resources of `queries.AccountState`.

Runs only in ParallelCluster's environment.
"""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tests.slurm.parallelcluster.package.files import add_buckets, fsx_stubs, shown_files

Json = dict[str, Any]


@contextlib.contextmanager
def account(account_state: Mapping[str, Any]) -> Iterator[Shown]:
    """Provide the account of a `queries.AccountState` in the context."""
    import boto3
    from moto import mock_aws
    from pcluster.aws.aws_api import AWSApi  # type: ignore[import-not-found]

    with mock_aws(config={"iam": {"load_aws_managed_policies": True}}):
        AWSApi.reset()
        ec2 = boto3.client("ec2", region_name=account_state["region"])
        captured = _captured(ec2, list(account_state["instance_types"]))
        vpc = _vpc(ec2)
        subnets, images = _subnets(ec2, account_state, vpc), _images(ec2, account_state["images"])
        groups = _security_groups(ec2, account_state, vpc)
        add_buckets(boto3, account_state)
        nodes = next(iter(groups.values()), None)
        files = shown_files(ec2, account_state, vpc, next(iter(subnets.values()), ""), nodes)
        shown = Shown(
            renaming=Renaming({**subnets, **images, **groups}),
            # a copy, since the package changes the records that it reads
            instance_types=copy.deepcopy({**account_state["instance_types"], **captured}),
            captured=frozenset(captured),
        )
        with _stubs(account_state, {**account_state["instance_types"], **captured}, images, files):
            yield shown


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Resources of the account; `captured` are the types whose record moto captured from EC2."""

    renaming: Renaming
    instance_types: Mapping[str, Json]
    captured: frozenset[str]


class Renaming:
    """Translation between the ids of a question and moto's ids of the same resources."""

    def __init__(self, ids: Mapping[str, str]) -> None:
        self._ids = ids

    def to_moto(self, document: Json) -> Json:
        """Return a copy with moto's ids."""
        return self._replaced(document, self._ids.items())

    def from_moto(self, document: Json) -> Json:
        """Return a copy with the question's ids."""
        return self._replaced(document, ((there, here) for here, there in self._ids.items()))

    def _replaced(self, document: Json, pairs: Any) -> Json:
        text = json.dumps(document)
        for old, new in pairs:
            text = text.replace(old, new)
        return cast(Json, json.loads(text))


def _vpc(ec2: Any) -> str:
    """Create a VPC with the DNS settings that ParallelCluster requires."""
    vpc = str(ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"])
    for attribute in ("EnableDnsSupport", "EnableDnsHostnames"):
        ec2.modify_vpc_attribute(VpcId=vpc, **{attribute: {"Value": True}})
    return vpc


def _security_groups(ec2: Any, account_state: Mapping[str, Any], vpc: str) -> dict[str, str]:
    """Create security groups of nodes; file systems allow the first group."""
    return {
        name: ec2.create_security_group(GroupName=name, Description="nodes", VpcId=vpc)["GroupId"]
        for name in account_state["security_groups"]
    }


def _subnets(ec2: Any, account_state: Mapping[str, Any], vpc: str) -> dict[str, str]:
    """Create the subnets of the VPC."""
    return {
        name: ec2.create_subnet(
            VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=account_state["zone"]
        )["Subnet"]["SubnetId"]
        for number, name in enumerate(account_state["subnets"])
    }


def _images(ec2: Any, architectures: Mapping[str, str]) -> dict[str, str]:
    """Return one of moto's images for each id, because registered images have no architecture."""
    found = {}
    for architecture in set(architectures.values()):
        filters = {"architecture": architecture, "name": f"amzn2-ami-hvm-*-{architecture}-gp2"}
        images = ec2.describe_images(
            Filters=[{"Name": name, "Values": [value]} for name, value in filters.items()]
        )
        found[architecture] = images["Images"][0]["ImageId"]
    return {name: found[architecture] for name, architecture in architectures.items()}


@contextlib.contextmanager
def _stubs(
    account_state: Mapping[str, Any],
    instance_types: Mapping[str, Json],
    images: Mapping[str, str],
    files: Mapping[str, Json],
) -> Iterator[None]:
    """Replace calls that moto lacks; all types of the account are offered, although moto's list is older."""
    from pcluster.aws.aws_api import AWSApi
    from pcluster.aws.ec2 import Ec2Client  # type: ignore[import-not-found]
    from pcluster.aws.fsx import FSxClient  # type: ignore[import-not-found]

    stubs: dict[str, Callable[..., Any]] = {
        "describe_capacity_reservations": _reservations(account_state["capacity_reservations"]),
        "describe_capacity_block_status": lambda client, *a, **k: account_state["capacity_block_statuses"],
        # moto's dry run rejects the instance store devices in all launches of ParallelCluster
        "run_instances": lambda client, **arguments: None,
        "describe_placement_group": _placement_groups(account_state["placement_groups"]),
        "get_official_image_id": _official(account_state["images"], images),
    }
    both = [(Ec2Client, name, stub) for name, stub in stubs.items()]
    both += [(FSxClient, name, stub) for name, stub in fsx_stubs(account_state, files).items()]
    kept = [(client, name, getattr(client, name)) for client, name, _ in both]
    for client, name, stub in both:
        setattr(client, name, stub)
    AWSApi.instance().ec2.additional_instance_types_data = dict(instance_types)
    try:
        yield
    finally:
        for client, name, method in kept:
            setattr(client, name, method)
        AWSApi.reset()


def _official(architectures: Mapping[str, str], images: Mapping[str, str]) -> Callable[..., str]:
    """Return ParallelCluster's published image: the image of the account with that architecture."""
    found = {architecture: images[name] for name, architecture in architectures.items()}
    return lambda _, os, architecture, filters=None: found[architecture]


def _placement_groups(names: Sequence[str]) -> Callable[..., Json]:
    """Replace DescribePlacementGroups, which moto lacks."""
    from pcluster.aws.common import AWSClientError  # type: ignore[import-not-found]

    def describe(_: Any, name: str) -> Json:
        if name not in names:
            raise AWSClientError("describe_placement_groups", f"{name} does not exist")
        return {"PlacementGroups": [{"GroupName": name, "State": "available", "Strategy": "cluster"}]}

    return describe


def _reservations(records: Sequence[Json]) -> Callable[..., list[Any]]:
    """Replace DescribeCapacityReservations, which moto lacks; it rejects an unknown id as EC2 does."""
    from pcluster.aws.aws_resources import CapacityReservationInfo  # type: ignore[import-not-found]
    from pcluster.aws.common import AWSClientError

    known = {record["CapacityReservationId"]: CapacityReservationInfo(record) for record in records}

    def describe(_: Any, ids: Sequence[str]) -> list[Any]:
        for missing in (name for name in ids if name not in known):
            raise AWSClientError("describe_capacity_reservations", f"{missing} does not exist")
        return [known[name] for name in ids]

    return describe


def _captured(ec2: Any, names: Sequence[str]) -> dict[str, Json]:
    """Return moto's records of these types that were captured from EC2."""
    pages = ec2.get_paginator("describe_instance_types").paginate(
        Filters=[{"Name": "instance-type", "Values": names}]
    )
    return {record["InstanceType"]: record for page in pages for record in page["InstanceTypes"]}
