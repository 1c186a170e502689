"""HyperPod beyond moto: all instance types, both orchestrators, updates, and nodes that follow the counts."""

from __future__ import annotations

import hashlib
from typing import Any, cast

from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.sagemaker.exceptions import ResourceInUseException, ResourceNotFound, ValidationError
from moto.sagemaker.models import SageMakerModelBackend
from moto.sagemaker.responses import SageMakerResponse

from .existence import missing_network
from .patch import add

# what a request and DescribeCluster call by the same name
_SETTINGS = (
    "AutoScaling",
    "ClusterRole",
    "NodeProvisioningMode",
    "NodeRecovery",
    "Orchestrator",
    "TieredStorageConfig",
    "VpcConfig",
)
_GROUP_SETTINGS = (
    "CapacityRequirements",
    "ExecutionRole",
    "InstanceGroupName",
    "InstanceStorageConfigs",
    "InstanceType",
    "LifeCycleConfig",
    "NetworkInterface",
    "OnStartDeepHealthChecks",
    "OverrideVpcConfig",
    "ScheduledUpdateConfig",
    "SlurmConfig",
    "ThreadsPerCore",
    "TrainingPlanArn",
)


class Node:
    """One instance of a group."""

    def __init__(self, cluster: str, group: dict[str, Any], index: int) -> None:
        self.instance_group_name: str = group["InstanceGroupName"]
        self.instance_type: str = group["InstanceType"]
        seed = f"{cluster}/{self.instance_group_name}/{index}"
        self.instance_id = f"i-{hashlib.sha256(seed.encode()).hexdigest()[:17]}"
        self.life_cycle_config = group.get("LifeCycleConfig")
        self.launch_time = utcnow()

    def summary(self) -> dict[str, Any]:
        """The node as ListClusterNodes gives it."""
        return {
            "InstanceGroupName": self.instance_group_name,
            "InstanceId": self.instance_id,
            "InstanceType": self.instance_type,
            "LaunchTime": self.launch_time,
            "InstanceStatus": {"Status": "Running", "Message": ""},
        }

    def describe(self) -> dict[str, Any]:
        """The node as DescribeClusterNode gives it."""
        return self.summary() | (
            {"LifeCycleConfig": self.life_cycle_config} if self.life_cycle_config else {}
        )


class HyperPodCluster:
    """A cluster: the settings it was given, and a node for each instance that they ask for."""

    def __init__(self, backend: SageMakerModelBackend, request: dict[str, Any]) -> None:
        self.cluster_name: str = request["ClusterName"]
        self.arn = f"arn:aws:sagemaker:{backend.region_name}:{backend.account_id}:cluster/{self._short_id()}"
        self.creation_time = utcnow()
        self.tags = request.get("Tags") or []
        self.settings: dict[str, Any] = {}
        self.groups: dict[str, dict[str, Any]] = {}
        self.nodes: dict[str, Node] = {}
        self.apply(request)

    def _short_id(self) -> str:
        return hashlib.sha256(self.cluster_name.encode()).hexdigest()[:12]

    def apply(self, request: dict[str, Any]) -> None:
        """Take new settings and groups; nodes follow."""
        self.settings |= {key: request[key] for key in _SETTINGS if key in request}
        for group in request.get("InstanceGroups") or []:
            self.groups[group["InstanceGroupName"]] = group
        for name in request.get("InstanceGroupsToDelete") or []:
            self.groups.pop(name, None)
        old, self.nodes = self.nodes, {}
        for group in self.groups.values():
            for index in range(group["InstanceCount"]):
                node = Node(self.arn, group, index)
                self.nodes[node.instance_id] = old.get(node.instance_id, node)

    def describe(self) -> dict[str, Any]:
        """The cluster as DescribeCluster gives it."""
        groups = [
            {key: group[key] for key in _GROUP_SETTINGS if key in group}
            | {
                "CurrentCount": group["InstanceCount"],
                "TargetCount": group["InstanceCount"],
                "Status": "InService",
            }
            for group in self.groups.values()
        ]
        return self.summary() | self.settings | {"InstanceGroups": groups}

    def summary(self) -> dict[str, Any]:
        """The cluster as ListClusters gives it."""
        return {
            "ClusterArn": self.arn,
            "ClusterName": self.cluster_name,
            "ClusterStatus": "InService",
            "CreationTime": self.creation_time,
        }


def _clusters(backend: SageMakerModelBackend) -> dict[str, HyperPodCluster]:
    """Moto's own collection, so that its list operations see our clusters."""
    clusters: Any = backend.clusters
    return cast("dict[str, HyperPodCluster]", clusters)


def _find(backend: SageMakerModelBackend, name_or_arn: str) -> HyperPodCluster:
    for cluster in _clusters(backend).values():
        if name_or_arn in (cluster.cluster_name, cluster.arn):
            return cluster
    raise ResourceNotFound(message=f"Cluster {name_or_arn} not found.")


def _require_network(backend: SageMakerModelBackend, request: dict[str, Any]) -> None:
    networks = [group.get("OverrideVpcConfig") for group in request.get("InstanceGroups") or []]
    for network in [request.get("VpcConfig"), *networks]:
        if network:
            gone = missing_network(
                backend.account_id, backend.region_name, network["Subnets"], network["SecurityGroupIds"]
            )
            if gone:
                raise ValidationError(message=f"these do not exist: {', '.join(gone)}")


def _create(self: SageMakerResponse) -> ActionResult:
    request = self._get_params()
    backend = self.sagemaker_backend
    if request["ClusterName"] in _clusters(backend):
        raise ResourceInUseException(message=f"Cluster with name {request['ClusterName']} already exists.")
    _require_network(backend, request)
    cluster = HyperPodCluster(backend, request)
    _clusters(backend)[cluster.cluster_name] = cluster
    return ActionResult({"ClusterArn": cluster.arn})


def _update(self: SageMakerResponse) -> ActionResult:
    request = self._get_params()
    cluster = _find(self.sagemaker_backend, request["ClusterName"])
    _require_network(self.sagemaker_backend, request)
    cluster.apply(request)
    return ActionResult({"ClusterArn": cluster.arn})


def _describe(self: SageMakerResponse) -> ActionResult:
    return ActionResult(_find(self.sagemaker_backend, self._get_param("ClusterName")).describe())


def _delete(self: SageMakerResponse) -> ActionResult:
    cluster = _find(self.sagemaker_backend, self._get_param("ClusterName"))
    del _clusters(self.sagemaker_backend)[cluster.cluster_name]
    return ActionResult({"ClusterArn": cluster.arn})


def _describe_node(self: SageMakerResponse) -> ActionResult:
    cluster, node = _find(self.sagemaker_backend, self._get_param("ClusterName")), self._get_param("NodeId")
    if node not in cluster.nodes:
        raise ValidationError(message=f"Node {node} not found in cluster {cluster.cluster_name}.")
    return ActionResult({"NodeDetails": cluster.nodes[node].describe()})


def _list_nodes(self: SageMakerResponse) -> ActionResult:
    cluster = _find(self.sagemaker_backend, self._get_param("ClusterName"))
    wanted = self._get_param("InstanceGroupNameContains") or ""
    nodes = [node.summary() for node in cluster.nodes.values() if wanted in node.instance_group_name]
    start, size = int(self._get_param("NextToken") or 0), int(self._get_param("MaxResults") or 100)
    page: dict[str, Any] = {"ClusterNodeSummaries": nodes[start : start + size]}
    if start + size < len(nodes):
        page["NextToken"] = str(start + size)
    return ActionResult(page)


def install() -> None:
    """Add the operations to SageMaker."""
    add(
        SageMakerResponse,
        create_cluster=_create,
        update_cluster=_update,
        describe_cluster=_describe,
        delete_cluster=_delete,
        describe_cluster_node=_describe_node,
        list_cluster_nodes=_list_nodes,
    )
