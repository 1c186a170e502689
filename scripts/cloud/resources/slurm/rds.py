"""Databases for Slurm's accounting: clusters, instances, subnet groups and parameter groups, over RDS."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    found,
    known,
    only,
    tag_mapping,
)

_CHANGEABLE_CLUSTER = (
    "BackupRetentionPeriod",
    "CopyTagsToSnapshot",
    "DBClusterParameterGroupName",
    "DeletionProtection",
    "EngineVersion",
    "ManageMasterUserPassword",
    "MasterUserPassword",
    "Port",
    "PreferredBackupWindow",
    "PreferredMaintenanceWindow",
    "ServerlessV2ScalingConfiguration",
    "VpcSecurityGroupIds",
)
_CLUSTER = (
    *_CHANGEABLE_CLUSTER,
    "DBSubnetGroupName",
    "DatabaseName",
    "EnableIAMDatabaseAuthentication",
    "Engine",
    "EngineMode",
    "KmsKeyId",
    "MasterUsername",
    "StorageEncrypted",
)
_CHANGEABLE_INSTANCE = (
    "AllocatedStorage",
    "AutoMinorVersionUpgrade",
    "BackupRetentionPeriod",
    "DBInstanceClass",
    "DBParameterGroupName",
    "DeletionProtection",
    "EngineVersion",
    "ManageMasterUserPassword",
    "MasterUserPassword",
    "MultiAZ",
    "PreferredBackupWindow",
    "PreferredMaintenanceWindow",
    "StorageType",
)
_INSTANCE = (
    *_CHANGEABLE_INSTANCE,
    "AvailabilityZone",
    "DBClusterIdentifier",
    "DBName",
    "DBSubnetGroupName",
    "Engine",
    "KmsKeyId",
    "MasterUsername",
    "Port",
    "PubliclyAccessible",
    "StorageEncrypted",
)


def _numbers(request: dict[str, Any]) -> dict[str, Any]:
    """Properties that CloudFormation takes as texts and RDS as numbers."""
    numeric = ("Port", "AllocatedStorage")
    return {key: int(value) if key in numeric else value for key, value in request.items()}


def _retag(context: Context, arn: str, old: Properties, new: Properties) -> None:
    rds, before, after = context.client("rds"), tag_mapping(old), context.tags(new)
    if set(before) - set(after):
        rds.remove_tags_from_resource(ResourceName=arn, TagKeys=sorted(set(before) - set(after)))
    if after and after != before:
        rds.add_tags_to_resource(ResourceName=arn, Tags=context.tag_list(new))


class DBCluster(Model):
    """An Aurora cluster."""

    type = "AWS::RDS::DBCluster"

    def create(self, context: Context, properties: Properties) -> Created:
        made = context.client("rds").create_db_cluster(
            DBClusterIdentifier=properties.get("DBClusterIdentifier")
            or context.generated_name(63, lower=True),
            **_numbers(only(properties, *_CLUSTER)),
            **context.tagged(properties),
        )["DBCluster"]
        return Created(made["DBClusterIdentifier"], self._attributes(made))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        changed = {
            key: value
            for key, value in only(properties, *_CHANGEABLE_CLUSTER).items()
            if value != existing.properties.get(key)
        }
        made = context.client("rds").modify_db_cluster(
            DBClusterIdentifier=existing.physical_id, ApplyImmediately=True, **_numbers(changed)
        )["DBCluster"]
        _retag(context, existing.attributes["DBClusterArn"], existing.properties, properties)
        return self._attributes(made)

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("rds").delete_db_cluster(
            DBClusterIdentifier=existing.physical_id, SkipFinalSnapshot=True
        )

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("rds").describe_db_clusters
        answer = found(ask, DBClusterIdentifier=existing.physical_id)
        if answer is None:
            return None
        told = answer["DBClusters"][0]
        names = [name for name in _CLUSTER if name not in ("DBSubnetGroupName", "VpcSecurityGroupIds")]
        groups = sorted(group["VpcSecurityGroupId"] for group in told.get("VpcSecurityGroups", []))
        return known(
            **only(told, *names),
            DBSubnetGroupName=told.get("DBSubnetGroup"),
            DBClusterParameterGroupName=told.get("DBClusterParameterGroup"),
            VpcSecurityGroupIds=groups,
        )

    @staticmethod
    def _attributes(told: Mapping[str, Any]) -> Properties:
        return {
            "DBClusterArn": told["DBClusterArn"],
            "DBClusterResourceId": told["DbClusterResourceId"],
            "Endpoint": {"Address": told["Endpoint"], "Port": str(told["Port"])},
            "ReadEndpoint": {"Address": told["ReaderEndpoint"]},
            "MasterUserSecret": only(told.get("MasterUserSecret") or {"SecretArn": ""}, "SecretArn"),
        }


class DBInstance(Model):
    """A database instance, alone or in a cluster."""

    type = "AWS::RDS::DBInstance"

    def create(self, context: Context, properties: Properties) -> Created:
        groups = properties.get("VPCSecurityGroups")
        made = context.client("rds").create_db_instance(
            DBInstanceIdentifier=properties.get("DBInstanceIdentifier")
            or context.generated_name(63, lower=True),
            **_numbers(only(properties, *_INSTANCE)),
            **({"VpcSecurityGroupIds": groups} if groups else {}),
            **context.tagged(properties),
        )["DBInstance"]
        return Created(made["DBInstanceIdentifier"], self._attributes(made))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        changed = {
            key: value
            for key, value in only(properties, *_CHANGEABLE_INSTANCE).items()
            if value != existing.properties.get(key)
        }
        groups = properties.get("VPCSecurityGroups")
        made = context.client("rds").modify_db_instance(
            DBInstanceIdentifier=existing.physical_id,
            ApplyImmediately=True,
            **_numbers(changed),
            **({"VpcSecurityGroupIds": groups} if groups else {}),
        )["DBInstance"]
        _retag(context, existing.attributes["DBInstanceArn"], existing.properties, properties)
        return self._attributes(made)

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("rds").delete_db_instance(
            DBInstanceIdentifier=existing.physical_id, SkipFinalSnapshot=True
        )

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("rds").describe_db_instances
        answer = found(ask, DBInstanceIdentifier=existing.physical_id)
        if answer is None:
            return None
        told = answer["DBInstances"][0]
        names = [name for name in _INSTANCE if name not in ("DBParameterGroupName", "DBSubnetGroupName")]
        groups = sorted(group["VpcSecurityGroupId"] for group in told.get("VpcSecurityGroups", []))
        return known(
            **only(told, *names),
            DBSubnetGroupName=told.get("DBSubnetGroup", {}).get("DBSubnetGroupName"),
            VPCSecurityGroups=groups,
        )

    @staticmethod
    def _attributes(told: Mapping[str, Any]) -> Properties:
        endpoint = {key: str(value) for key, value in told.get("Endpoint", {}).items()}
        return {
            "DBInstanceArn": told["DBInstanceArn"],
            "DBInstanceStatus": told["DBInstanceStatus"],
            "DbiResourceId": told["DbiResourceId"],
            "Endpoint": {"HostedZoneId": "", **endpoint},
            "MasterUserSecret": only(told.get("MasterUserSecret") or {"SecretArn": ""}, "SecretArn"),
        }


class DBSubnetGroup(Model):
    """The subnets that a database may be in."""

    type = "AWS::RDS::DBSubnetGroup"

    def create(self, context: Context, properties: Properties) -> Created:
        name = (properties.get("DBSubnetGroupName") or context.generated_name(255)).lower()
        made = context.client("rds").create_db_subnet_group(
            DBSubnetGroupName=name,
            **only(properties, "DBSubnetGroupDescription", "SubnetIds"),
            **context.tagged(properties),
        )["DBSubnetGroup"]
        return Created(name, only(made, "DBSubnetGroupArn"))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        context.client("rds").modify_db_subnet_group(
            DBSubnetGroupName=existing.physical_id,
            **only(properties, "DBSubnetGroupDescription", "SubnetIds"),
        )
        _retag(context, existing.attributes["DBSubnetGroupArn"], existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("rds").delete_db_subnet_group(DBSubnetGroupName=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("rds").describe_db_subnet_groups
        answer = found(ask, DBSubnetGroupName=existing.physical_id)
        if answer is None:
            return None
        told = answer["DBSubnetGroups"][0]
        subnets = sorted(subnet["SubnetIdentifier"] for subnet in told["Subnets"])
        return {"DBSubnetGroupDescription": told["DBSubnetGroupDescription"], "SubnetIds": subnets}


class DBClusterParameterGroup(Model):
    """Settings of an engine."""

    type = "AWS::RDS::DBClusterParameterGroup"

    def create(self, context: Context, properties: Properties) -> Created:
        rds = context.client("rds")
        name = (properties.get("DBClusterParameterGroupName") or context.generated_name(255)).lower()
        rds.create_db_cluster_parameter_group(
            DBClusterParameterGroupName=name,
            DBParameterGroupFamily=properties["Family"],
            Description=properties["Description"],
            **context.tagged(properties),
        )
        context.claim(name)
        self._put(rds, name, properties)
        return Created(name)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context.client("rds"), existing.physical_id, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("rds").delete_db_cluster_parameter_group(
            DBClusterParameterGroupName=existing.physical_id
        )

    def read(self, context: Context, existing: Existing) -> Properties | None:
        rds, group = context.client("rds"), {"DBClusterParameterGroupName": existing.physical_id}
        answer = found(rds.describe_db_cluster_parameter_groups, **group)
        if answer is None or not answer["DBClusterParameterGroups"]:
            return None
        told = answer["DBClusterParameterGroups"][0]
        parameters = rds.describe_db_cluster_parameters(**group)["Parameters"]
        values = {p["ParameterName"]: p.get("ParameterValue") for p in parameters}
        return known(
            Family=told["DBParameterGroupFamily"],
            Description=told["Description"],
            Parameters=dict(sorted(values.items())),
        )

    @staticmethod
    def _put(rds: Any, name: str, properties: Properties) -> None:
        parameters = [
            {"ParameterName": key, "ParameterValue": str(value), "ApplyMethod": "pending-reboot"}
            for key, value in sorted(properties["Parameters"].items())
        ]
        rds.modify_db_cluster_parameter_group(DBClusterParameterGroupName=name, Parameters=parameters)


MODELS = (DBCluster(), DBInstance(), DBSubnetGroup(), DBClusterParameterGroup())
