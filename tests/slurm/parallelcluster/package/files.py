"""File systems and buckets for ParallelCluster, which moto lacks or has without their network interfaces.

Runs only in ParallelCluster's environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Json = dict[str, Any]

_LUSTRE = ((988, 988), (1018, 1023))
_OPENZFS = ((111, 111), (2049, 2049), (20001, 20003))
_PORTS = (
    *(("tcp", *ports) for ports in (*_LUSTRE, *_OPENZFS)),
    *(("udp", *ports) for ports in _OPENZFS),
)
"""Ports of Lustre and OpenZFS."""


def shown_files(
    ec2: Any, account_state: Mapping[str, Any], vpc: str, subnet: str, nodes: str | None
) -> dict[str, Json]:
    """Return a record of each file system; its interface in `subnet` allows only the group `nodes`."""
    systems = {identity: "LUSTRE" for identity in account_state["file_systems"]}
    systems |= {_system_of(volume): "OPENZFS" for volume in account_state["volumes"]}
    if not systems:
        return {}
    group = ec2.create_security_group(GroupName="files", Description="file systems", VpcId=vpc)["GroupId"]
    if nodes:
        pairs = [{"GroupId": nodes}]
        ec2.authorize_security_group_ingress(
            GroupId=group,
            IpPermissions=[
                {"IpProtocol": protocol, "FromPort": first, "ToPort": last, "UserIdGroupPairs": pairs}
                for protocol, first, last in _PORTS
            ],
        )
    interfaces = {
        identity: ec2.create_network_interface(SubnetId=subnet, Groups=[group])["NetworkInterface"]
        for identity in systems
    }
    return {
        identity: {
            "FileSystemId": identity,
            "FileSystemType": kind,
            "VpcId": vpc,
            "SubnetIds": [subnet],
            "NetworkInterfaceIds": [interfaces[identity]["NetworkInterfaceId"]],
            "DNSName": f"{identity}.fsx.{account_state['region']}.amazonaws.com",
            "LustreConfiguration": {"MountName": "abcdefgh"},
        }
        for identity, kind in systems.items()
    }


def fsx_stubs(account_state: Mapping[str, Any], records: Mapping[str, Json]) -> dict[str, Callable[..., Any]]:
    """Return answers of the FSx API; it rejects an unknown id as FSx does."""
    from pcluster.aws.aws_resources import FsxStorageInfo  # type: ignore[import-not-found]
    from pcluster.aws.common import AWSClientError  # type: ignore[import-not-found]

    volumes = {
        volume: {
            "VolumeId": volume,
            "FileSystemId": _system_of(volume),
            "OpenZFSConfiguration": {"VolumePath": "/fsx"},
        }
        for volume in account_state["volumes"]
    }

    def found(ids: Sequence[str], known: Mapping[str, Any], name: str) -> list[Any]:
        for missing in (identity for identity in ids if identity not in known):
            raise AWSClientError(name, f"{missing} does not exist")
        return [known[identity] for identity in ids]

    infos = {identity: FsxStorageInfo(record) for identity, record in records.items()}
    return {
        "get_file_systems_info": lambda _, ids: found(ids, infos, "describe_file_systems"),
        "describe_volumes": lambda _, ids: found(ids, volumes, "describe_volumes"),
    }


def add_buckets(boto3: Any, account_state: Mapping[str, Any]) -> None:
    """Create buckets in the Region of the account."""
    s3 = boto3.client("s3", region_name=account_state["region"])
    for bucket, keys in account_state["buckets"].items():
        s3.create_bucket(
            Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": account_state["region"]}
        )
        for key in keys:
            s3.put_object(Bucket=bucket, Key=key, Body=b"#!/bin/bash")


def _system_of(volume: str) -> str:
    return volume.replace("fsvol-", "fs-")
