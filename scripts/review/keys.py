"""Where a property of a template stands in a profile."""

from __future__ import annotations

from collections.abc import Mapping

from .model import Edit

_LUSTRE = "storage.lustre"
_GROUP = "compute.groups[]"

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
    "AWS::FSx::DataRepositoryAssociation": {
        "BatchImportMetaDataOnCreate": f"{_LUSTRE}.data_repositories[].import_metadata_on_create",
        "DataRepositoryPath": f"{_LUSTRE}.data_repositories[].bucket",
        "FileSystemPath": f"{_LUSTRE}.data_repositories[].path",
        "S3": f"{_LUSTRE}.data_repositories[]",
    },
    "AWS::FSx::FileSystem": {
        "LustreConfiguration/DataCompressionType": f"{_LUSTRE}.compression",
        "LustreConfiguration/DeploymentType": f"{_LUSTRE}.deployment",
        "LustreConfiguration/EfaEnabled": f"{_LUSTRE}.efa",
        "LustreConfiguration/MetadataConfiguration": f"{_LUSTRE}.metadata_iops",
        "LustreConfiguration/PerUnitStorageThroughput": f"{_LUSTRE}.throughput_mbps_per_tib",
        "LustreConfiguration/WeeklyMaintenanceStartTime": f"{_LUSTRE}.weekly_maintenance_start",
        "StorageCapacity": f"{_LUSTRE}.capacity_gib",
    },
    "AWS::Grafana::Workspace": {"AuthenticationProviders": "observability.grafana.authentication"},
    "AWS::SageMaker::Cluster": {
        "InstanceGroups/*/InstanceCount": f"{_GROUP}.count",
        "InstanceGroups/*/InstanceType": f"{_GROUP}.instance_type",
        "InstanceGroups/*/OnStartDeepHealthChecks": f"{_GROUP}.deep_health_checks",
        "InstanceGroups/*/OverrideVpcConfig": f"{_GROUP}.zone",
        "InstanceGroups/*/SlurmConfig/NodeType": f"{_GROUP}.role",
        "InstanceGroups/*/SlurmConfig/PartitionNames": f"{_GROUP}.partition",
        "InstanceGroups/*/ThreadsPerCore": f"{_GROUP}.threads_per_core",
        "InstanceGroups/*/TrainingPlanArn": f"{_GROUP}.capacity",
        "InstanceGroups/*": _GROUP,
        "NodeRecovery": "orchestrator.node_recovery",
        "Orchestrator/Slurm/SlurmConfigStrategy": "orchestrator.slurm_config_strategy",
    },
}
"""Resource type to property (an item of a list is `*`) to the key that it comes from."""


def key_of(resource_type: str, edit: Edit) -> str | None:
    """The profile's key behind an edit; None where no single one is."""
    for pattern, key in PROFILE_KEYS.get(resource_type, {}).items():
        wanted = pattern.split("/")
        if len(edit.path) >= len(wanted) and all(
            w in ("*", p) for w, p in zip(wanted, edit.path, strict=False)
        ):
            return key
    return None
