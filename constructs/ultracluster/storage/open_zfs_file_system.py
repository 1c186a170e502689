"""An FSx for OpenZFS file system, for example for home directories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from aws_cdk import CfnResource
from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_resource, add_security_group, attribute, tag_list
from ultracluster.retention import Retention
from ultracluster.security_rules import NFS_TRAFFIC, add_peer_rules, inline_peer_rules

OpenZfsDeploymentType = Literal[
    "SINGLE_AZ_1", "SINGLE_AZ_2", "SINGLE_AZ_HA_1", "SINGLE_AZ_HA_2", "MULTI_AZ_1"
]
OpenZfsCompression = Literal["NONE", "LZ4", "ZSTD"]

_ROOT_PATH = "/fsx"
#: A parent volume without its own quotas and exports, whose child volumes have them.
_ROOT_OPTIONS = ("ro", "crossmnt")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenZfsFileSystemProps(Tagged):
    """An OpenZFS file system on SSD, and its clients.

    The root volume is fixed: if its exports, quotas, compression or record size change, CloudFormation
    replaces the file system with an empty one. If you must be able to change these, use a child volume
    (`volume_name`). Source, `rootvolumeconfiguration` and `volume-openzfsconfiguration`:
    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/AWS_FSx.html

    Attributes:
        name: The Name tag.
        vpc_id: The VPC.
        subnet_ids: One subnet. For `MULTI_AZ_1`: two subnets in different zones, the preferred subnet first.
        client_security_group_id: Security group of the clients. Matching rules are added to it.
        capacity_gib: Storage capacity. You can only increase it: by at least 10 %, once in 6 hours.
        throughput_mbps: Throughput capacity, valid for the deployment type.
        deployment_type: `SINGLE_AZ_HA_2` fails over in its zone, `SINGLE_AZ_2` has one server, `MULTI_AZ_1`
            fails over to another zone. A change replaces the file system.
        weekly_maintenance_start_time: `d:HH:MM` in UTC, Monday is day 1.
        backup_retention_days: Retention of daily backups in days, 0 to 90. 0: no backups.
        retention: Whether the file system, its security group and all rules are retained.
        backup_start_time: Start of the daily backup, `HH:MM` in UTC. None: FSx selects it.
        copy_tags_to_backups: Whether backups have the tags. True by default.
        volume_name: Name of a child volume that clients mount (`/fsx/<name>`). The root volume is then
            read-only. None by default: clients mount the root volume, `/fsx`.
        compression: `LZ4` by default.
        record_size_kib: 128 by default, which FSx recommends for most workloads.
        client_cidrs: Addresses of NFS clients. All by default, because the security groups restrict access,
            and the network can grow.
        export_options: Export options. By default clients read and write, snapshots are visible, writes are
            synchronous, and root is not squashed, because root creates home directories.
        user_quotas_gib: Quotas in GiB by user ID; only with a `volume_name`. None by default.
        route_table_ids: Route tables for a `MULTI_AZ_1` file system. None: the VPC's main route table.
        kms_key_arn: KMS key. None: the account's FSx key.
        client_rules: Rules of the client group, which are created before the file system.
    """

    name: str
    vpc_id: str
    subnet_ids: Sequence[str]
    client_security_group_id: str
    capacity_gib: int
    throughput_mbps: int
    deployment_type: OpenZfsDeploymentType
    weekly_maintenance_start_time: str
    backup_retention_days: int
    retention: Retention
    backup_start_time: str | None = None
    copy_tags_to_backups: bool = True
    volume_name: str | None = None
    compression: OpenZfsCompression = "LZ4"
    record_size_kib: int = 128
    client_cidrs: Sequence[str] = ("*",)
    export_options: Sequence[str] = ("rw", "crossmnt", "sync", "no_root_squash")
    user_quotas_gib: Mapping[int, int] = field(default_factory=dict)
    route_table_ids: Sequence[str] = ()
    kms_key_arn: str | None = None
    client_rules: Sequence[IDependable] = ()


class OpenZfsFileSystem(Construct):
    """A file system with its security group, the rules of its clients, and at most one child volume.

    Attributes:
        file_system_id: ID of the file system.
        dns_name: DNS name for mounts.
        mount_path: NFS path for mounts.
        security_group_id: Security group of the file system.
        mount_ready: The clients' rules and the volume, which must exist before a client mounts the file
            system.
    """

    def __init__(self, scope: Construct, construct_id: str, props: OpenZfsFileSystemProps) -> None:
        """Create the file system; raises ValueError for contradictory props."""
        super().__init__(scope, construct_id)
        _check(props)
        self.security_group_id = add_security_group(
            self,
            "SecurityGroup",
            vpc_id=props.vpc_id,
            description=f"OpenZFS file system {props.name}",
            rules=inline_peer_rules(props.client_security_group_id, NFS_TRAFFIC),
            tags=tag_list(props.tags, props.name),
            retention=props.retention,
        )
        client_rules = add_peer_rules(
            self,
            props.client_security_group_id,
            self.security_group_id,
            NFS_TRAFFIC,
            prefix="Client",
            retention=props.retention,
            directions=["Egress"],
        )
        file_system = add_resource(
            self,
            "Resource",
            "AWS::FSx::FileSystem",
            {
                "FileSystemType": "OPENZFS",
                "StorageType": "SSD",
                "StorageCapacity": props.capacity_gib,
                "SubnetIds": list(props.subnet_ids),
                "SecurityGroupIds": [self.security_group_id],
                "KmsKeyId": props.kms_key_arn,
                "OpenZFSConfiguration": _configuration(props),
                "Tags": tag_list(props.tags, props.name),
            },
            retention=props.retention,
            depends_on=[*client_rules, *props.client_rules],
        )
        self.file_system_id = file_system.ref
        self.dns_name = attribute(file_system, "DNSName")
        self.mount_path = _ROOT_PATH
        self.mount_ready = client_rules
        if props.volume_name is not None:
            volume = self._add_volume(props, props.volume_name, attribute(file_system, "RootVolumeId"))
            self.mount_path = f"{_ROOT_PATH}/{props.volume_name}"
            self.mount_ready = (*client_rules, volume)

    def _add_volume(self, props: OpenZfsFileSystemProps, name: str, root_volume_id: str) -> CfnResource:
        configuration = {
            "ParentVolumeId": root_volume_id,
            **_volume_settings(props, props.export_options),
            "UserAndGroupQuotas": [
                {"Type": "USER", "Id": user, "StorageCapacityQuotaGiB": gib}
                for user, gib in sorted(props.user_quotas_gib.items())
            ]
            or None,
            **_deletion(props.retention),
        }
        properties = {
            "Name": name,
            "VolumeType": "OPENZFS",
            "OpenZFSConfiguration": configuration,
            "Tags": tag_list(props.tags, f"{props.name}-{name}"),
        }
        return add_resource(self, "Volume", "AWS::FSx::Volume", properties, retention=props.retention)


def _configuration(props: OpenZfsFileSystemProps) -> dict[str, Any]:
    below = props.volume_name is not None
    return {
        "DeploymentType": props.deployment_type,
        "ThroughputCapacity": props.throughput_mbps,
        "PreferredSubnetId": props.subnet_ids[0] if props.deployment_type == "MULTI_AZ_1" else None,
        "RouteTableIds": list(props.route_table_ids) or None,
        "RootVolumeConfiguration": _volume_settings(props, _ROOT_OPTIONS if below else props.export_options),
        "AutomaticBackupRetentionDays": props.backup_retention_days,
        "DailyAutomaticBackupStartTime": props.backup_start_time,
        "CopyTagsToBackups": props.copy_tags_to_backups,
        "CopyTagsToVolumes": True,
        "WeeklyMaintenanceStartTime": props.weekly_maintenance_start_time,
        **_deletion(props.retention),
    }


def _volume_settings(props: OpenZfsFileSystemProps, options: Sequence[str]) -> dict[str, Any]:
    clients = [{"Clients": cidr, "Options": list(options)} for cidr in sorted(props.client_cidrs)]
    return {
        "DataCompressionType": props.compression,
        "RecordSizeKiB": props.record_size_kib,
        "NfsExports": [{"ClientConfigurations": clients}],
    }


def _deletion(retention: Retention) -> dict[str, Any]:
    # manually created snapshots and volumes would prevent the deletion of a disposable file system
    return {"Options": ["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"]} if retention is Retention.DISPOSABLE else {}


def _check(props: OpenZfsFileSystemProps) -> None:
    wanted = 2 if props.deployment_type == "MULTI_AZ_1" else 1
    if len(props.subnet_ids) != wanted:
        raise ValueError(f"{len(props.subnet_ids)} subnet_ids with {props.deployment_type!r}: set {wanted}")
    if props.user_quotas_gib and props.volume_name is None:
        raise ValueError(
            f"quotas of {len(props.user_quotas_gib)} users on the root volume, where a changed quota "
            "replaces the file system: set a volume_name"
        )
    if props.backup_start_time is not None and props.backup_retention_days == 0:
        raise ValueError(
            f"backup_start_time {props.backup_start_time!r} with backup_retention_days 0: "
            "remove it, because backups are off"
        )
    if props.route_table_ids and props.deployment_type != "MULTI_AZ_1":
        raise ValueError(f"route_table_ids with {props.deployment_type!r}: only 'MULTI_AZ_1' supports them")
