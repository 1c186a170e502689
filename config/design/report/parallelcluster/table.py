"""Translation of profile keys to ParallelCluster keys; a test compares it with the written configurations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Translation:
    """A profile key, the ParallelCluster key for it without list indexes, and how the value is derived."""

    profile_key: str
    configuration_key: str
    how: str = "unchanged"


_RESOURCE = "Scheduling.SlurmQueues.ComputeResources"
_QUEUE = "Scheduling.SlurmQueues"
_LUSTRE = "SharedStorage.FsxLustreSettings"
_LINK = f"{_LUSTRE}.DataRepositoryAssociations"
_DELETION_POLICY = "`Retain`, or `Delete` with `disposable: true`"
_SSM = "AmazonSSMManagedInstanceCore: users connect through Session Manager, without a key"
_SECURITY_GROUP = "`--security-group`, if a file system is mounted by its id"
_SUBNET = "the id in the profile, or `--subnet`"


_row = Translation

TRANSLATIONS = (
    _row("region", "Region"),
    _row("-", "Image.Os", "alinux2023"),
    _row("-", "Image.CustomAmi", "`--ami`; images for HyperPod or PCS do not work with ParallelCluster"),
    _row(
        "compute.groups[].instance_type", "HeadNode.InstanceType",
        "type of the controller or login group, else the smallest type in the catalogue with 16 GiB",
    ),
    _row("network", "HeadNode.Networking.SubnetId", _SUBNET),
    _row("network", "HeadNode.Networking.AdditionalSecurityGroups", _SECURITY_GROUP),
    _row("-", "HeadNode.Iam.AdditionalIamPolicies.Policy", _SSM),
    _row(
        "compute.groups[].threads_per_core", "HeadNode.DisableSimultaneousMultithreading",
        "`true` for 1, from the controller group",
    ),
    _row("-", "HeadNode.Iam.S3Access.BucketName", "the bucket of `--actions`"),
    _row(
        "orchestrator.settings", "HeadNode.CustomActions.OnNodeConfigured.Script",
        "job_hooks.sh (`--actions`), if Prolog or Epilog is set",
    ),
    _row(
        "orchestrator.settings", "HeadNode.CustomActions.OnNodeConfigured.Args",
        "Prolog and Epilog, which the script links into prolog.d and epilog.d",
    ),
    _row("compute.groups[].name", "LoginNodes.Pools.Name", "login groups"),
    _row("compute.groups[].instance_type", "LoginNodes.Pools.InstanceType", "login groups"),
    _row("compute.groups[].count", "LoginNodes.Pools.Count", "login groups"),
    _row("network", "LoginNodes.Pools.Networking.SubnetIds", _SUBNET),
    _row("network", "LoginNodes.Pools.Networking.AdditionalSecurityGroups", _SECURITY_GROUP),
    _row("-", "LoginNodes.Pools.Iam.AdditionalIamPolicies.Policy", _SSM),
    _row("orchestrator", "Scheduling.Scheduler", "`slurm`"),
    _row(
        "orchestrator", "Scheduling.SlurmSettings.QueueUpdateStrategy",
        "`DRAIN`: an update waits for the jobs of a node before it replaces the node",
    ),
    _row(
        "orchestrator.idle_seconds", "Scheduling.SlurmSettings.ScaledownIdletime",
        "in minutes, rounded up, if a group is dynamic",
    ),
    _row(
        "orchestrator.settings", "Scheduling.SlurmSettings.CustomSlurmSettings.NAME",
        "each setting under its Slurm name; ultracluster's defaults need its node scripts and are left out",
    ),
    _row("compute.groups[].partition", f"{_QUEUE}.Name", "or `orchestrator.queues[].name`"),
    _row(
        "orchestrator.queues[].settings", f"{_QUEUE}.JobExclusiveAllocation",
        "true for `OverSubscribe: EXCLUSIVE`",
    ),
    _row("orchestrator.queues[].settings", f"{_QUEUE}.CustomSlurmSettings.NAME", "all other settings"),
    _row(
        "compute.groups[].capacity.kind", f"{_QUEUE}.CapacityType",
        "`ONDEMAND` (also with a reservation), `SPOT` or `CAPACITY_BLOCK`",
    ),
    _row("compute.groups[].zone", f"{_QUEUE}.Networking.SubnetIds", _SUBNET),
    _row("network", f"{_QUEUE}.Networking.AdditionalSecurityGroups", _SECURITY_GROUP),
    _row("-", f"{_QUEUE}.Iam.AdditionalIamPolicies.Policy", _SSM),
    _row(
        "storage.local_nvme", f"{_QUEUE}.ComputeSettings.LocalStorage.EphemeralVolume.MountDir",
        "`/scratch`, the default of ParallelCluster for the striped local disks",
    ),
    _row(
        "compute.groups[].root_volume_gib", f"{_QUEUE}.ComputeSettings.LocalStorage.RootVolume.Size",
        "the largest size of the queue's groups",
    ),
    _row(
        "-", f"{_QUEUE}.HealthChecks.Gpu.Enabled",
        "`false`: the check runs before every job, and jobs hung in it on 8-GPU types (SLURM-03)",
    ),
    _row("compute.groups[].name", f"{_RESOURCE}.Name", "compute groups"),
    _row("compute.groups[].instance_type", f"{_RESOURCE}.InstanceType", "always set (SLURM-04)"),
    _row("compute.groups[].count", f"{_RESOURCE}.MinCount", "0 with `scaling: dynamic`"),
    _row("compute.groups[].count", f"{_RESOURCE}.MaxCount"),
    _row(
        "compute.groups[].threads_per_core", f"{_RESOURCE}.DisableSimultaneousMultithreading", "`true` for 1"
    ),
    _row("compute.groups[].slurm_settings", f"{_RESOURCE}.CustomSlurmSettings.NAME"),
    _row("compute.groups[].slurm_settings", f"{_RESOURCE}.StaticNodePriority", "from `Weight`"),
    _row("compute.groups[].slurm_settings", f"{_RESOURCE}.DynamicNodePriority", "from `Weight`"),
    _row("compute.groups[].efa.layout", f"{_RESOURCE}.Efa.Enabled", "`false` for `none`"),
    _row(
        "compute.groups[].placement_group", f"{_RESOURCE}.Networking.PlacementGroup.Enabled",
        "`true` for a new group, `false` for `null`; not set for a Capacity Block (SLURM-06)",
    ),
    _row(
        "compute.groups[].placement_group.name", f"{_RESOURCE}.Networking.PlacementGroup.Name",
        "name of an existing group",
    ),
    _row(
        "compute.groups[].capacity.reservation_id",
        f"{_RESOURCE}.CapacityReservationTarget.CapacityReservationId",
    ),
    _row(
        "compute.groups[].capacity.resource_group_arn",
        f"{_RESOURCE}.CapacityReservationTarget.CapacityReservationResourceGroupArn",
    ),
    _row("storage.lustre.name", "SharedStorage.Name", "`lustre` for the main file system"),
    _row("storage", "SharedStorage.StorageType", "`FsxLustre`, or `FsxOpenZfs` for home directories"),
    _row("storage.lustre.mount_path", "SharedStorage.MountDir", "also `storage.home.mount_path`"),
    _row(
        "storage.lustre.file_system_id", f"{_LUSTRE}.FileSystemId",
        "also for a new file system that ParallelCluster cannot create (PCL020): `--file-system`",
    ),
    _row("storage.lustre.deployment", f"{_LUSTRE}.DeploymentType"),
    _row("storage.lustre.storage", f"{_LUSTRE}.StorageType", "`HDD`; not set for SSD"),
    _row("storage.lustre.capacity_gib", f"{_LUSTRE}.StorageCapacity"),
    _row("storage.lustre.throughput_mbps_per_tib", f"{_LUSTRE}.PerUnitStorageThroughput"),
    _row("storage.lustre.drive_cache", f"{_LUSTRE}.DriveCacheType", "`READ` for `true`"),
    _row("storage.lustre.compression", f"{_LUSTRE}.DataCompressionType", "`LZ4`, or not set"),
    _row("storage.lustre.key_arn", f"{_LUSTRE}.KmsKeyId", "default: the AWS managed key of FSx"),
    _row("storage.lustre.weekly_maintenance_start", f"{_LUSTRE}.WeeklyMaintenanceStartTime"),
    _row("storage.lustre.backups.retention_days", f"{_LUSTRE}.AutomaticBackupRetentionDays"),
    _row("storage.lustre.backups.daily_start", f"{_LUSTRE}.DailyAutomaticBackupStartTime"),
    _row("storage.lustre.backups.copy_tags", f"{_LUSTRE}.CopyTagsToBackups"),
    _row("disposable", f"{_LUSTRE}.DeletionPolicy", _DELETION_POLICY),
    _row("storage.lustre.data_repositories[].path", f"{_LINK}.Name", "a name built from the path"),
    _row("storage.lustre.data_repositories[].path", f"{_LINK}.FileSystemPath"),
    _row("storage.lustre.data_repositories[].bucket", f"{_LINK}.DataRepositoryPath", "with its `prefix`"),
    _row("storage.lustre.data_repositories[].import", f"{_LINK}.AutoImportPolicy"),
    _row("storage.lustre.data_repositories[].export", f"{_LINK}.AutoExportPolicy"),
    _row(
        "storage.lustre.data_repositories[].import_metadata_on_create", f"{_LINK}.BatchImportMetaDataOnCreate"
    ),
    _row("storage.lustre.data_repositories[].imported_chunk_mib", f"{_LINK}.ImportedFileChunkSize"),
    _row("storage.home", "SharedStorage.FsxOpenZfsSettings.VolumeId", "`--home-volume`"),
    _row("-", "Monitoring.Logs.CloudWatch.Enabled", "true"),
    _row("observability.log_retention_days", "Monitoring.Logs.CloudWatch.RetentionInDays"),
    _row("disposable", "Monitoring.Logs.CloudWatch.DeletionPolicy", _DELETION_POLICY),
    _row("-", "Imds.ImdsSupport", "v2.0"),
    _row("name", "Tags.Value", "value of the tag `ultracluster:profile`"),
    _row("-", "Tags.Key", "`ultracluster:profile`"),
    _row("tags", "Tags.Key", "each tag, with its value"),
)  # fmt: skip
"""All keys that a configuration can have, in the order of the configuration."""
