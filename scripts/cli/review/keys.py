"""Find the profile key that sets a property of a template."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .model import Change, Edit

_LUSTRE, _MORE_LUSTRE, _HOME = "storage.lustre", "storage.additional_lustre[]", "storage.home"
_GROUP = "compute.groups[]"
_REPOSITORY, _CACHE = "images.repositories[]", "images.caches[]"
_FILE_SYSTEM = "AWS::FSx::FileSystem"

PROFILE_KEYS: Mapping[str, Mapping[str, str]] = {
    "AWS::APS::Workspace": {
        "WorkspaceConfiguration/RetentionPeriodInDays": "observability.prometheus.retention_days"
    },
    "AWS::EC2::Subnet": {
        "AvailabilityZone": "availability_zone",
        "AvailabilityZoneId": "availability_zone_id",
        "CidrBlock": "network.vpc_cidr",
    },
    "AWS::EC2::VPC": {"CidrBlock": "network.vpc_cidr"},
    "AWS::ECR::PullThroughCacheRule": {
        "CredentialArn": f"{_CACHE}.secret_arn",
        "EcrRepositoryPrefix": f"{_CACHE}.prefix",
        "UpstreamRegistry": f"{_CACHE}.upstream",
        "UpstreamRegistryUrl": f"{_CACHE}.host",
    },
    "AWS::ECR::Repository": {
        "EncryptionConfiguration": "images.key_arn",
        "ImageScanningConfiguration": f"{_REPOSITORY}.scan_on_push",
        "ImageTagMutability": f"{_REPOSITORY}.immutable_tags",
        "ImageTagMutabilityExclusionFilters": f"{_REPOSITORY}.moving_tags",
        "LifecyclePolicy": f"{_REPOSITORY}.expire_untagged_days",
        "RepositoryName": f"{_REPOSITORY}.name",
    },
    "AWS::EKS::Nodegroup": {"ReleaseVersion": "orchestrator.node_image.release"},
    "AWS::FSx::DataRepositoryAssociation": {
        "BatchImportMetaDataOnCreate": f"{_LUSTRE}.data_repositories[].import_metadata_on_create",
        "DataRepositoryPath": f"{_LUSTRE}.data_repositories[].bucket",
        "FileSystemPath": f"{_LUSTRE}.data_repositories[].path",
        "ImportedFileChunkSize": f"{_LUSTRE}.data_repositories[].imported_chunk_mib",
        "S3": f"{_LUSTRE}.data_repositories[]",
    },
    _FILE_SYSTEM: {
        "FileSystemTypeVersion": f"{_LUSTRE}.version",
        "KmsKeyId": f"{_LUSTRE}.key_arn",
        "LustreConfiguration/AutomaticBackupRetentionDays": f"{_LUSTRE}.backups",
        "LustreConfiguration/CopyTagsToBackups": f"{_LUSTRE}.backups.copy_tags",
        "LustreConfiguration/DailyAutomaticBackupStartTime": f"{_LUSTRE}.backups.daily_start",
        "LustreConfiguration/DataCompressionType": f"{_LUSTRE}.compression",
        "LustreConfiguration/DataReadCacheConfiguration": f"{_LUSTRE}.read_cache",
        "LustreConfiguration/DeploymentType": f"{_LUSTRE}.deployment",
        "LustreConfiguration/DriveCacheType": f"{_LUSTRE}.drive_cache",
        "LustreConfiguration/EfaEnabled": f"{_LUSTRE}.efa",
        "LustreConfiguration/LogConfiguration/Level": f"{_LUSTRE}.logs",
        "LustreConfiguration/MetadataConfiguration": f"{_LUSTRE}.metadata_iops",
        "LustreConfiguration/PerUnitStorageThroughput": f"{_LUSTRE}.throughput_mbps_per_tib",
        "LustreConfiguration/ThroughputCapacity": f"{_LUSTRE}.throughput_mbps",
        "LustreConfiguration/WeeklyMaintenanceStartTime": f"{_LUSTRE}.weekly_maintenance_start",
        "StorageCapacity": f"{_LUSTRE}.capacity_gib",
        "StorageType": f"{_LUSTRE}.storage",
    },
    f"{_FILE_SYSTEM} OPENZFS": {
        "KmsKeyId": f"{_HOME}.key_arn",
        "OpenZFSConfiguration/AutomaticBackupRetentionDays": f"{_HOME}.backups.retention_days",
        "OpenZFSConfiguration/DailyAutomaticBackupStartTime": f"{_HOME}.backups.daily_start",
        "OpenZFSConfiguration/DeploymentType": f"{_HOME}.deployment",
        "OpenZFSConfiguration/RootVolumeConfiguration/DataCompressionType": f"{_HOME}.compression",
        "OpenZFSConfiguration/ThroughputCapacity": f"{_HOME}.throughput_mbps",
        "OpenZFSConfiguration/WeeklyMaintenanceStartTime": f"{_HOME}.weekly_maintenance_start",
        "StorageCapacity": f"{_HOME}.users",
    },
    "AWS::Grafana::Workspace": {"AuthenticationProviders": "observability.grafana.authentication"},
    "AWS::PCS::Cluster": {
        "Scheduler/Version": "orchestrator.slurm_version",
        "Size": "orchestrator.size",
    },
    "AWS::PCS::ComputeNodeGroup": {"AmiId": f"{_GROUP}.ami_id"},
    "AWS::S3::Bucket": {"LifecycleConfiguration": "storage.buckets.noncurrent_version_days"},
    "AWS::S3Express::DirectoryBucket": {
        "LifecycleConfiguration": "storage.s3_express.retention_days",
        "LocationName": "availability_zone_id",
    },
    "Custom::LustreRootSquash": {
        "NoSquashNids": f"{_LUSTRE}.root_squash",
        "RootSquash": f"{_LUSTRE}.root_squash",
    },
    "AWS::SageMaker::Cluster": {
        "InstanceGroups/*/InstanceCount": f"{_GROUP}.count",
        "InstanceGroups/*/AutoPatchConfig": f"{_GROUP}.auto_patch",
        "InstanceGroups/*/ImageId": f"{_GROUP}.ami_id",
        "InstanceGroups/*/InstanceRequirements": f"{_GROUP}.fallback_instance_types",
        "InstanceGroups/*/InstanceType": f"{_GROUP}.instance_type",
        "InstanceGroups/*/MinInstanceCount": f"{_GROUP}.min_count",
        "InstanceGroups/*/OnStartDeepHealthChecks": f"{_GROUP}.deep_health_checks",
        "InstanceGroups/*/OverrideVpcConfig": f"{_GROUP}.zone",
        "InstanceGroups/*/ScheduledUpdateConfig": f"{_GROUP}.scheduled_update",
        "InstanceGroups/*/SlurmConfig/NodeType": f"{_GROUP}.role",
        "InstanceGroups/*/SlurmConfig/PartitionNames": f"{_GROUP}.partition",
        "InstanceGroups/*/ThreadsPerCore": f"{_GROUP}.threads_per_core",
        "InstanceGroups/*/TrainingPlanArn": f"{_GROUP}.capacity",
        "InstanceGroups/*": _GROUP,
        "NodeProvisioningMode": "orchestrator.provisioning",
        "NodeRecovery": "orchestrator.node_recovery",
        "Orchestrator/Slurm/AccountingDatabase": "orchestrator.accounting",
        "Orchestrator/Slurm/SlurmConfigStrategy": "orchestrator.slurm_config_strategy",
    },
}
"""Maps resource type and property (`*` is an item of a list) to the profile key that sets the property."""

DERIVED: Mapping[str, tuple[str, ...]] = {
    "AWS::EKS::Cluster": ("Name",),
    "AWS::EKS::Nodegroup": ("NodegroupName",),
    "AWS::PCS::Cluster": ("Name",),
    "AWS::PCS::ComputeNodeGroup": ("Name",),
    "AWS::SageMaker::Cluster": ("ClusterName",),
}
"""Maps a resource type to its name properties, which are derived from other properties and have no key."""

# the ids of the main file system do not contain its name: StorageLustreD58356E9, not
# StorageLustrescratch9FD80E01
_OF_ANOTHER = re.compile(r"Storage(Lustre|RootSquash|ImportTask)[a-z]")


def key_of(change: Change, edit: Edit) -> str | None:
    """Return the profile key that sets an edited property; None if no single key sets it."""
    kind = f"{change.type} {change.variant}"
    for pattern, key in PROFILE_KEYS.get(kind, PROFILE_KEYS.get(change.type, {})).items():
        wanted = pattern.split("/")
        if len(edit.path) >= len(wanted) and all(
            w in ("*", p) for w, p in zip(wanted, edit.path, strict=False)
        ):
            another = _OF_ANOTHER.match(change.logical_id)
            return key.replace(_LUSTRE, _MORE_LUSTRE) if another else key
    return None
