"""HyperPod features that moto lacks: all instance types, Slurm and EKS, updates, and simulated nodes."""

from __future__ import annotations

import hashlib
from typing import Any, cast

from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.sagemaker.exceptions import ResourceInUseException, ResourceNotFound, ValidationError
from moto.sagemaker.models import SageMakerModelBackend, sagemaker_backends
from moto.sagemaker.responses import SageMakerResponse

from config.catalog import catalog
from scripts.cloud.extensions.capacity.training_plans import plans_of
from scripts.cloud.extensions.existence import key_exists, missing_network, role_exists, secret_exists
from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import Record

from .eks_access import add_entry
from .eks_records import EksRecords
from .hyperpod_groups import described, volume_keys
from .hyperpod_nodes import Node, Nodes, batch

# fields with the same name in a request and in DescribeCluster
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


class HyperPodCluster:
    """A cluster: its settings, and a node for each requested instance."""

    def __init__(self, backend: SageMakerModelBackend, request: dict[str, Any]) -> None:
        self.cluster_name: str = request["ClusterName"]
        self.arn = f"arn:aws:sagemaker:{backend.region_name}:{backend.account_id}:cluster/{self._short_id()}"
        self.creation_time = utcnow()
        self.tags = request.get("Tags") or []
        self.settings: dict[str, Any] = {}
        self.groups: dict[str, Record] = {}
        self._backend = backend
        self._nodes = Nodes(self.arn)
        self.apply(request)

    def _short_id(self) -> str:
        return hashlib.sha256(self.cluster_name.encode()).hexdigest()[:12]

    def apply(self, request: dict[str, Any]) -> None:
        """Apply new settings and groups, and adjust the nodes."""
        self.settings |= {key: request[key] for key in _SETTINGS if key in request}
        for kind in _KINDS:
            for group in request.get(kind) or []:
                self.groups[group["InstanceGroupName"]] = {**group, "Kind": kind}
        for name in request.get("InstanceGroupsToDelete") or []:
            self.groups.pop(name, None)
        self._nodes.follow(self.groups, plans_of(self._backend), at_once=True)

    @property
    def nodes(self) -> Nodes:
        """Return the current nodes."""
        self._nodes.follow(self.groups, plans_of(self._backend), at_once=False)
        return self._nodes

    @property
    def controllers(self) -> set[str]:
        """Return the groups of the Slurm controller."""
        groups = self.groups.values()
        return {
            group["InstanceGroupName"]
            for group in groups
            if (group.get("SlurmConfig") or {}).get("NodeType") == "Controller"
        }

    @property
    def recovers(self) -> bool:
        """Return whether the service replaces failed nodes."""
        return self.settings.get("NodeRecovery") == "Automatic"

    def describe(self) -> dict[str, Any]:
        """Return the cluster in the format of DescribeCluster."""
        nodes = self.nodes
        groups = {
            kind: [
                described(group, len(nodes.by_group[name]))
                for name, group in self.groups.items()
                if group["Kind"] == kind
            ]
            for kind in _KINDS
        }
        return self.summary() | self.settings | {kind: shown for kind, shown in groups.items() if shown}

    def summary(self) -> dict[str, Any]:
        """Return the cluster in the format of ListClusters."""
        return {
            "ClusterArn": self.arn,
            "ClusterName": self.cluster_name,
            "ClusterStatus": "InService",
            "CreationTime": self.creation_time,
        }


def _clusters(backend: SageMakerModelBackend) -> dict[str, HyperPodCluster]:
    """Return moto's own collection, so that its list operations return our clusters."""
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
    """Check that networks, roles and the EKS cluster exist."""
    account, region = backend.account_id, backend.region_name
    networks = [group.get("OverrideVpcConfig") for group in _groups_of(request)]
    for network in [request.get("VpcConfig"), *networks]:
        if network:
            missing = missing_network(account, region, network["Subnets"], network["SecurityGroupIds"])
            if missing:
                raise ValidationError(message=f"these do not exist: {', '.join(missing)}")
    roles = [request.get("ClusterRole"), *(group["ExecutionRole"] for group in _groups_of(request))]
    for role in roles:
        if role and not role_exists(account, role):
            raise ValidationError(message=f"the role {role} does not exist")
    secret = (_slurm(request).get("AccountingDatabase") or {}).get("SecretArn")
    if secret and not secret_exists(account, region, secret):
        raise ValidationError(message=f"the secret {secret} does not exist")
    for key in volume_keys(_groups_of(request)):
        if not key_exists(account, region, key):
            raise ValidationError(message=f"the key {key} does not exist or cannot be used")
    eks = _eks_cluster(request)
    if eks and eks not in EksRecords.records(account, region, "clusters"):
        raise ValidationError(message=f"the EKS cluster {eks} does not exist")


def _slurm(settings: Record) -> Record:
    """Return the Slurm settings of a request or a cluster."""
    slurm: Record = (settings.get("Orchestrator") or {}).get("Slurm") or {}
    return slurm


def _eks_cluster(request: Record) -> str | None:
    orchestrator = (request.get("Orchestrator") or {}).get("Eks")
    return orchestrator["ClusterArn"].split("/")[-1] if orchestrator else None


def nodes_on(account: str, region: str, eks_cluster: str) -> int:
    """Return the number of HyperPod nodes in an EKS cluster."""
    return sum(len([*cluster.nodes]) for cluster in _clusters_on(account, region, eks_cluster))


def is_scaled(account: str, region: str, eks_cluster: str) -> bool:
    """Return whether HyperPod's Karpenter runs in an EKS cluster."""
    scaling = (one.settings.get("AutoScaling") or {} for one in _clusters_on(account, region, eks_cluster))
    return any(one.get("Mode") == "Enable" for one in scaling)


def clusters_of(account: str, region: str) -> list[HyperPodCluster]:
    """Return the clusters of a Region."""
    return list(_clusters(sagemaker_backends[account][region]).values())


def _clusters_on(account: str, region: str, eks_cluster: str) -> list[HyperPodCluster]:
    return [one for one in clusters_of(account, region) if _eks_cluster(one.settings) == eks_cluster]


def _let_nodes_join(backend: SageMakerModelBackend, cluster: HyperPodCluster) -> None:
    """Add the access entries that HyperPod creates for its nodes.

    Source: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-prerequisites.html
    """
    eks = _eks_cluster(cluster.settings)
    if eks:
        for role in sorted({group["ExecutionRole"] for group in cluster.groups.values()}):
            add_entry(backend.account_id, backend.region_name, eks, role, "HYPERPOD_LINUX")


@adds(SageMakerResponse, "create_cluster")
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


@adds(SageMakerResponse, "update_cluster")
def _update(self: SageMakerResponse) -> ActionResult:
    request = self._get_params()
    cluster = _find(self.sagemaker_backend, request["ClusterName"])
    _require(self.sagemaker_backend, request)
    cluster.apply(request)
    _let_nodes_join(self.sagemaker_backend, cluster)
    return ActionResult({"ClusterArn": cluster.arn})


@adds(SageMakerResponse, "describe_cluster")
def _describe(self: SageMakerResponse) -> ActionResult:
    return ActionResult(_find(self.sagemaker_backend, self._get_param("ClusterName")).describe())


@adds(SageMakerResponse, "delete_cluster")
def _delete(self: SageMakerResponse) -> ActionResult:
    cluster = _find(self.sagemaker_backend, self._get_param("ClusterName"))
    del _clusters(self.sagemaker_backend)[cluster.cluster_name]
    return ActionResult({"ClusterArn": cluster.arn})


@adds(SageMakerResponse, "describe_cluster_node")
def _describe_node(self: SageMakerResponse) -> ActionResult:
    cluster, node = _find(self.sagemaker_backend, self._get_param("ClusterName")), self._get_param("NodeId")
    found = cluster.nodes.find(node)
    if found is None:
        raise ValidationError(message=f"Node {node} not found in cluster {cluster.cluster_name}.")
    return ActionResult({"NodeDetails": found.describe()})


@adds(SageMakerResponse, "list_cluster_nodes")
def _list_nodes(self: SageMakerResponse) -> ActionResult:
    cluster = _find(self.sagemaker_backend, self._get_param("ClusterName"))
    wanted = self._get_param("InstanceGroupNameContains") or ""
    nodes = [node.summary() for node in cluster.nodes if wanted in node.group]
    start, size = int(self._get_param("NextToken") or 0), int(self._get_param("MaxResults") or 100)
    page: dict[str, Any] = {"ClusterNodeSummaries": nodes[start : start + size]}
    if start + size < len(nodes):
        page["NextToken"] = str(start + size)
    return ActionResult(page)


def _some(self: SageMakerResponse, most: int, codes: tuple[str, str], key: str) -> Any:
    """Return the cluster, the requested nodes that can be changed, and an error for each other node."""
    cluster = _find(self.sagemaker_backend, self._get_param("ClusterName"))
    ids = self._get_param("NodeIds") or []
    if not 0 < len(ids) <= most:
        raise ValidationError(message=f"{len(ids)} nodes: set NodeIds to 1 to {most} nodes")
    return cluster, *batch(cluster.nodes, ids, cluster.controllers, codes, key)


def _batch_result(taken: list[Node], failed: list[Record]) -> ActionResult:
    return ActionResult({"Successful": [node.instance_id for node in taken], "Failed": failed})


@adds(SageMakerResponse, "batch_replace_cluster_nodes")
def _replace_nodes(self: SageMakerResponse) -> ActionResult:
    _, taken, failed = _some(self, 25, ("InstanceIdNotFound", "InvalidInstanceStatus"), "ErrorCode")
    for node in taken:
        node.replace()
    return _batch_result(taken, failed)


@adds(SageMakerResponse, "batch_reboot_cluster_nodes")
def _reboot_nodes(self: SageMakerResponse) -> ActionResult:
    _, taken, failed = _some(self, 25, ("InstanceIdNotFound", "InvalidInstanceStatus"), "ErrorCode")
    for node in taken:
        node.reboot()
    return _batch_result(taken, failed)


@adds(SageMakerResponse, "batch_delete_cluster_nodes")
def _delete_nodes(self: SageMakerResponse) -> ActionResult:
    """Delete nodes, which also reduces the count of their group (smcluster-scale-down.html)."""
    cluster, taken, failed = _some(self, 99, ("NodeIdNotFound", "InvalidNodeStatus"), "Code")
    for node in taken:
        cluster.nodes.remove(node)
        cluster.groups[node.group]["InstanceCount"] -= 1
    return _batch_result(taken, failed)


@adds(SageMakerResponse, "describe_training_plan")
def _describe_plan(self: SageMakerResponse) -> ActionResult:
    name = self._get_param("TrainingPlanName")
    nodes = [node for cluster in _clusters(self.sagemaker_backend).values() for node in cluster.nodes]
    for plan in plans_of(self.sagemaker_backend).values():
        if plan.name == name:
            return ActionResult(plan.described(in_use=sum(node.plan is plan for node in nodes)))
    raise ResourceNotFound(message=f"Training plan {name} not found.")


def fail_node(account: str, region: str, instance_id: str, fault: str) -> bool:
    """Set a fault on a node; return False if no cluster has the node."""
    for cluster in _clusters(sagemaker_backends[account][region]).values():
        node = cluster.nodes.find(instance_id)
        if node is not None:
            node.fail(fault, recovers=cluster.recovers and _is_gpu(node.instance_type))
            return True
    return False


def _is_gpu(instance_type: str) -> bool:
    """Return whether a type has GPUs: HyperPod does not replace nodes without GPUs."""
    known = catalog().instance(instance_type.removeprefix("ml."))
    return known is not None and known.is_gpu


_tagged = SageMakerModelBackend._get_resource_from_arn


@adds(SageMakerModelBackend, "_get_resource_from_arn")
def _resource(self: SageMakerModelBackend, arn: str) -> Any:
    """Return a resource by ARN; moto would read the cluster id in the ARN as the cluster's name."""
    return _find(self, arn) if ":cluster/" in arn else _tagged(self, arn)


@adds(SageMakerModelBackend, "add_tags")
def _add_tags(self: SageMakerModelBackend, arn: str, tags: list[Record]) -> list[Record]:
    """Add tags; an existing tag gets its new value."""
    resource = self._get_resource_from_arn(arn)
    named = {tag["Key"]: tag for tag in [*resource.tags, *tags]}
    resource.tags = list(named.values())
    return list(named.values())
