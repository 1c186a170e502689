"""Databases for Slurm accounting: clusters, instances, subnet groups and parameter groups, on RDS."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel
from scripts.cloud.resources.base import Context, Existing, Properties, only


class _Rds(ApiModel):
    service = "rds"
    reads = "describe_{}s"
    updates = "modify_{}"

    def name(self, context: Context, properties: Properties) -> dict[str, Any]:
        declared, parameter, limit = self.named or ("", "", 0)
        return {parameter: (properties.get(declared) or context.generated_name(limit)).lower()}


class _Database(_Rds):
    """A database cluster or instance; an update sends only the changed settings."""

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        groups = {"VpcSecurityGroupIds": new["VPCSecurityGroups"]} if "VPCSecurityGroups" in new else {}
        if old is None:
            return {**new, **groups}
        changed = {k: v for k, v in new.items() if v != old.get(k)}
        return {**changed, **groups, "ApplyImmediately": True}

    def request(self, context: Context, method: str, existing: Existing) -> dict[str, Any]:
        request = super().request(context, method, existing)
        return request | ({"SkipFinalSnapshot": True} if method == self.deletes.format(self.noun) else {})

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        groups = sorted(group["VpcSecurityGroupId"] for group in record.get("VpcSecurityGroups", []))
        subnets = record.get("DBSubnetGroup")
        more = {
            "DBSubnetGroupName": subnets["DBSubnetGroupName"] if isinstance(subnets, Mapping) else subnets,
            "DBClusterParameterGroupName": record.get("DBClusterParameterGroup"),
            "VpcSecurityGroupIds": groups,
            "VPCSecurityGroups": groups,
        }
        return super().properties(context, existing, {**record, **more})


class DBCluster(_Database):
    """An Aurora cluster."""

    type = "AWS::RDS::DBCluster"
    noun = "db_cluster"
    named = ("DBClusterIdentifier", "DBClusterIdentifier", 63)
    key = ("DBClusterIdentifier",)
    refreshed = True

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        return super().attributes(context, existing, made) | {
            "Endpoint": {"Address": made["Endpoint"], "Port": str(made["Port"])},
            "ReadEndpoint": {"Address": made["ReaderEndpoint"]},
            "MasterUserSecret": _secret(made),
        }


class DBInstance(_Database):
    """A database instance, alone or in a cluster."""

    type = "AWS::RDS::DBInstance"
    noun = "db_instance"
    named = ("DBInstanceIdentifier", "DBInstanceIdentifier", 63)
    key = ("DBInstanceIdentifier",)
    refreshed = True

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        endpoint = {key: str(value) for key, value in made.get("Endpoint", {}).items()}
        more = {"Endpoint": {"HostedZoneId": "", **endpoint}, "MasterUserSecret": _secret(made)}
        return super().attributes(context, existing, made) | more


def _secret(made: Properties) -> dict[str, str]:
    return only(made.get("MasterUserSecret") or {"SecretArn": ""}, "SecretArn")


class DBSubnetGroup(_Rds):
    """The subnets of a database."""

    type = "AWS::RDS::DBSubnetGroup"
    noun = "db_subnet_group"
    named = ("DBSubnetGroupName", "DBSubnetGroupName", 255)
    key = ("DBSubnetGroupName",)
    shown = ("DBSubnetGroupArn",)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        subnets = sorted(subnet["SubnetIdentifier"] for subnet in record["Subnets"])
        return super().properties(context, existing, {**record, "SubnetIds": subnets})


class DBClusterParameterGroup(_Rds):
    """Settings of a database engine."""

    type = "AWS::RDS::DBClusterParameterGroup"
    noun = "db_cluster_parameter_group"
    updates = ""
    named = ("DBClusterParameterGroupName", "DBClusterParameterGroupName", 255)
    key = ("DBClusterParameterGroupName",)

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        return {"DBParameterGroupFamily": new["Family"], "Description": new["Description"]}

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        parameters = [
            {"ParameterName": key, "ParameterValue": str(value), "ApplyMethod": "pending-reboot"}
            for key, value in sorted(properties["Parameters"].items())
        ]
        name = {"DBClusterParameterGroupName": existing.physical_id}
        client.modify_db_cluster_parameter_group(**name, Parameters=parameters)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        ask = context.client("rds").describe_db_cluster_parameters
        listed = ask(DBClusterParameterGroupName=existing.physical_id)["Parameters"]
        values = {one["ParameterName"]: one.get("ParameterValue") for one in listed}
        more = {"Family": record["DBParameterGroupFamily"], "Parameters": dict(sorted(values.items()))}
        return super().properties(context, existing, {**record, **more})
