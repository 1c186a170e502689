"""HyperPod beyond moto: all instance types, both orchestrators, updates, and nodes that follow the counts."""

from __future__ import annotations

import hashlib
from typing import Any, cast

from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.sagemaker.exceptions import ResourceInUseException, ResourceNotFound, ValidationError
from moto.sagemaker.models import SageMakerModelBackend
from moto.sagemaker.responses import SageMakerResponse

from .eks_access import add_entry
from .eks_records import EksRecords
from .existence import missing_network, role_exists
from .hyperpod_groups import described
from .patch import add
from .records import Record

# what a request and DescribeCluster call by the same name
_SETTINGS = (
    "AutoScaling",
    "ClusterRole",
    "NodeProvisioningMode",
    "NodeRecovery",
    "Orchestrator",
    "RestrictedInstanceGroupsConfig",
    "TieredStorageConfig",
    "VpcConfig",
)
_KINDS = ("InstanceGroups", "RestrictedInstanceGroups")


class Node:
    """One instance of a group."""

    def __init__(self, cluster: str, group: dict[str, Any], index: int) -> None:
        self.instance_group_name: str = group["InstanceGroupName"]
        # of several types the first one that there is: here they are all there
        self.instance_type: str = (
            group.get("InstanceType") or group["InstanceRequirements"]["InstanceTypes"][0]
        )
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
        self.groups: dict[str, Record] = {}
        self.nodes: dict[str, Node] = {}
        self.apply(request)

    def _short_id(self) -> str:
        return hashlib.sha256(self.cluster_name.encode()).hexdigest()[:12]

    def apply(self, request: dict[str, Any]) -> None:
        """Take new settings and groups; nodes follow."""
        self.settings |= {key: request[key] for key in _SETTINGS if key in request}
        for kind in _KINDS:
            for group in request.get(kind) or []:
                self.groups[group["InstanceGroupName"]] = {**group, "Kind": kind}
        for name in request.get("InstanceGroupsToDelete") or []:
            self.groups.pop(name, None)
        old, self.nodes = self.nodes, {}
        for group in self.groups.values():
            for index in range(group["InstanceCount"]):
                node = Node(self.arn, group, index)
                self.nodes[node.instance_id] = old.get(node.instance_id, node)

    def describe(self) -> dict[str, Any]:
        """The cluster as DescribeCluster gives it."""
        groups = {
            kind: [described(group) for group in self.groups.values() if group["Kind"] == kind]
            for kind in _KINDS
        }
        return self.summary() | self.settings | {kind: told for kind, told in groups.items() if told}

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


def _groups_of(request: Record) -> list[Record]:
    return [group for kind in _KINDS for group in request.get(kind) or []]


def _require(backend: SageMakerModelBackend, request: Record) -> None:
    """Networks, roles and the cluster of EKS are there."""
    account, region = backend.account_id, backend.region_name
    networks = [group.get("OverrideVpcConfig") for group in _groups_of(request)]
    for network in [request.get("VpcConfig"), *networks]:
        if network:
            gone = missing_network(account, region, network["Subnets"], network["SecurityGroupIds"])
            if gone:
                raise ValidationError(message=f"these do not exist: {', '.join(gone)}")
    roles = [request.get("ClusterRole"), *(group["ExecutionRole"] for group in _groups_of(request))]
    for role in roles:
        if role and not role_exists(account, role):
            raise ValidationError(message=f"the role {role} does not exist")
    eks = _eks_cluster(request)
    if eks and eks not in EksRecords.records(account, region, "clusters"):
        raise ValidationError(message=f"the EKS cluster {eks} does not exist")


def _eks_cluster(request: Record) -> str | None:
    orchestrator = (request.get("Orchestrator") or {}).get("Eks")
    return orchestrator["ClusterArn"].split("/")[-1] if orchestrator else None


def _let_nodes_join(backend: SageMakerModelBackend, cluster: HyperPodCluster) -> None:
    """HyperPod makes the access entries of its nodes.

    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-prerequisites.html
    """
    eks = _eks_cluster(cluster.settings)
    if eks:
        for role in sorted({group["ExecutionRole"] for group in cluster.groups.values()}):
            add_entry(backend.account_id, backend.region_name, eks, role, "HYPERPOD_LINUX")


def _create(self: SageMakerResponse) -> ActionResult:
    request = self._get_params()
    backend = self.sagemaker_backend
    if request["ClusterName"] in _clusters(backend):
        raise ResourceInUseException(message=f"Cluster with name {request['ClusterName']} already exists.")
    _require(backend, request)
    cluster = HyperPodCluster(backend, request)
    _let_nodes_join(backend, cluster)
    _clusters(backend)[cluster.cluster_name] = cluster
    return ActionResult({"ClusterArn": cluster.arn})


def _update(self: SageMakerResponse) -> ActionResult:
    request = self._get_params()
    cluster = _find(self.sagemaker_backend, request["ClusterName"])
    _require(self.sagemaker_backend, request)
    cluster.apply(request)
    _let_nodes_join(self.sagemaker_backend, cluster)
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


_tagged = SageMakerModelBackend._get_resource_from_arn


def _resource(self: SageMakerModelBackend, arn: str) -> Any:
    """Clusters by their ARN: moto looks for a cluster by its name in the place of its id."""
    return _find(self, arn) if ":cluster/" in arn else _tagged(self, arn)


def _add_tags(self: SageMakerModelBackend, arn: str, tags: list[Record]) -> list[Record]:
    """A tag that is there already gets its new value."""
    resource = self._get_resource_from_arn(arn)
    named = {tag["Key"]: tag for tag in [*resource.tags, *tags]}
    resource.tags = list(named.values())
    return list(named.values())


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
    add(SageMakerModelBackend, _get_resource_from_arn=_resource, add_tags=_add_tags)
