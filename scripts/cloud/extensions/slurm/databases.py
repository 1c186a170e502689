"""Extensions of RDS: resources that a database refers to must exist, and cannot be deleted while in use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.rds.models import RDSBackend

from scripts.cloud.extensions.existence import key_exists, missing_network
from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import RefusedError

_create_subnets: Callable[..., Any] = RDSBackend.create_subnet_group
_modify: Callable[..., Any] = RDSBackend.modify_db_subnet_group
_delete: Callable[..., Any] = RDSBackend.delete_subnet_group
_delete_parameters: Callable[..., Any] = RDSBackend.delete_db_cluster_parameter_group
_create_cluster: Callable[..., Any] = RDSBackend.create_db_cluster
_create_instance: Callable[..., Any] = RDSBackend.create_db_instance


def subnet_group_of(database: Any) -> str | None:
    """Return a database's subnet group from moto's fields, because moto's property for the group fails."""
    name: str | None = vars(database).get("_db_subnet_group_name") or vars(database).get(
        "db_subnet_group_name"
    )
    return name


@adds(RDSBackend, "modify_db_subnet_group")
def _modify_subnet_group(self: RDSBackend, name: str, *settings: Any, **named: Any) -> Any:
    """Modify a subnet group, and add it to moto's collection again, because moto removes it."""
    changed = _modify(self, name, *settings, **named)
    self.subnet_groups[name] = changed
    return changed


@adds(RDSBackend, "create_subnet_group")
def _new_subnet_group(self: RDSBackend, name: str, description: str, subnets: Any, tags: Any) -> Any:
    if name in self.subnet_groups:
        raise RefusedError("DBSubnetGroupAlreadyExists", f"The DB subnet group '{name}' already exists.")
    zones = {subnet.availability_zone for subnet in subnets}
    if (
        len(zones) < 2
    ):  # https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBSubnetGroup.html
        message = (
            "The DB subnet group doesn't meet Availability Zone (AZ) coverage requirement: at least 2 AZs"
        )
        raise RefusedError("DBSubnetGroupDoesNotCoverEnoughAZs", message)
    return _create_subnets(self, name, description, subnets, tags)


@adds(RDSBackend, "delete_subnet_group")
def _delete_subnet_group(self: RDSBackend, name: str) -> Any:
    clusters = [c.db_cluster_identifier for c in self.clusters.values() if subnet_group_of(c) == name]
    instances = [i.db_instance_identifier for i in self.databases.values() if subnet_group_of(i) == name]
    for user in clusters + instances:
        message = (
            f"Cannot delete the subnet group '{name}' because at least one database is using it: {user}."
        )
        raise RefusedError("InvalidDBSubnetGroupStateFault", message)
    return _delete(self, name)


@adds(RDSBackend, "delete_db_cluster_parameter_group")
def _delete_parameter_group(self: RDSBackend, db_cluster_parameter_group_name: str) -> Any:
    name = db_cluster_parameter_group_name
    for cluster in self.clusters.values():
        if cluster.parameter_group == name:
            message = f"One or more databases are still members of this parameter group {name}"
            raise RefusedError("InvalidDBParameterGroupState", message)
    return _delete_parameters(self, name)


@adds(RDSBackend, "create_db_cluster")
def _new_cluster(self: RDSBackend, request: dict[str, Any]) -> Any:
    name = request["db_cluster_identifier"]
    if name in self.clusters:
        raise RefusedError("DBClusterAlreadyExistsFault", f"DB Cluster {name} already exists")
    subnets, parameters = request.get("db_subnet_group_name"), request.get("db_cluster_parameter_group_name")
    if subnets and subnets not in self.subnet_groups:
        raise RefusedError("DBSubnetGroupNotFoundFault", f"DB subnet group '{subnets}' does not exist.")
    own = parameters and not parameters.startswith("default.")
    if own and parameters not in self.db_cluster_parameter_groups:
        message = f"DBClusterParameterGroup not found: {parameters}"
        raise RefusedError("DBClusterParameterGroupNotFound", message)
    _require(self, request)
    return _create_cluster(self, request)


@adds(RDSBackend, "create_db_instance")
def _new_instance(self: RDSBackend, request: dict[str, Any]) -> Any:
    cluster = request.get("db_cluster_identifier")
    if cluster and cluster not in self.clusters:
        raise RefusedError("DBClusterNotFoundFault", f"DBCluster {cluster} not found.")
    _require(self, request)
    return _create_instance(self, request)


def _require(backend: RDSBackend, request: dict[str, Any]) -> None:
    """Check that security groups and keys exist."""
    where, key = (backend.account_id, backend.region_name), request.get("kms_key_id")
    missing = missing_network(*where, [], request.get("vpc_security_group_ids") or [])
    if missing:
        raise RefusedError(
            "InvalidVPCNetworkStateFault", f"the following resources do not exist: {', '.join(missing)}"
        )
    if key and not key_exists(*where, key):
        raise RefusedError("KMSKeyNotAccessibleFault", f"the key {key} does not exist or cannot be used")
