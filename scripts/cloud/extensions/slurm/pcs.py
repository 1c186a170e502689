"""AWS Parallel Computing Service: clusters, compute node groups and queues.

Template rules check the settings that the service accepts. These operations check that referenced resources
exist, and that resources in use are not deleted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from moto.core.responses import ActionResult, EmptyResult

from scripts.cloud.extensions import existence
from scripts.cloud.extensions.records import Record, RefusedError, now
from scripts.cloud.extensions.services import Service

# https://docs.aws.amazon.com/pcs/latest/userguide/service-endpoints-quotas.html
MAX_CLUSTERS, MAX_PER_CLUSTER = 5, 10
_PORTS = {"SLURMCTLD": "6817", "SLURMDBD": "6819", "SLURMRESTD": "6820"}
# https://docs.aws.amazon.com/pcs/latest/userguide/security-instance-profiles.html
_ROLE_NAME, _ROLE_PATH = "AWSPCS", "/aws-pcs/"
_NOT_KEPT = ("clientToken", "clusterIdentifier", "clusterName", "computeNodeGroupName", "queueName", "tags")


class PcsService(Service):
    """The operations of PCS. Requests name clusters, groups and queues by name or id."""

    name = host = "pcs"

    def create_cluster(self) -> ActionResult:
        """CreateCluster."""
        clusters, request = self.table("clusters"), self._get_params()
        if len(clusters) >= MAX_CLUSTERS:
            raise RefusedError("ServiceQuotaExceededException", f"the limit is {MAX_CLUSTERS} clusters")
        self._free("cluster", request["clusterName"], clusters)
        self.require_network(request["networking"]["subnetIds"], request["networking"]["securityGroupIds"])
        cluster_id = f"pcs_{self.next_id('cluster')}"
        cluster = self._record(request, request["clusterName"], cluster_id, f"cluster/{cluster_id}")
        self._complete(cluster)
        clusters[cluster_id] = cluster
        return ActionResult({"cluster": cluster})

    def get_cluster(self) -> ActionResult:
        """GetCluster."""
        return ActionResult({"cluster": self._cluster()})

    def list_clusters(self) -> ActionResult:
        """ListClusters."""
        return ActionResult({"clusters": list(self.table("clusters").values())})

    def update_cluster(self) -> ActionResult:
        """UpdateCluster."""
        cluster, request = self._cluster(), self._get_params()
        cluster["scheduler"] = cluster["scheduler"] | (request.get("scheduler") or {})
        if "slurmConfiguration" in request:
            cluster["slurmConfiguration"] = request["slurmConfiguration"]
        self._complete(cluster)
        return ActionResult({"cluster": cluster})

    def delete_cluster(self) -> EmptyResult:
        """DeleteCluster: requires that its groups and queues are deleted first."""
        cluster = self._cluster()
        left = [r["name"] for kind in ("groups", "queues") for r in self._in(cluster, kind)]
        if left:
            raise RefusedError(
                "ConflictException", f"Cluster {cluster['id']} has resources: {', '.join(left)}"
            )
        return self.drop("clusters", cluster["id"], cluster["arn"])

    def create_compute_node_group(self) -> ActionResult:
        """CreateComputeNodeGroup."""
        cluster, request = self._cluster(), self._get_params()
        self._new_in(cluster, "groups", request["computeNodeGroupName"])
        self._check_group(request)
        group_id = f"pcs_{self.next_id('computenodegroup')}"
        path = f"cluster/{cluster['id']}/computenodegroup/{group_id}"
        group = self._record(request, request["computeNodeGroupName"], group_id, path)
        group = {"purchaseOption": "ONDEMAND", **group, "clusterId": cluster["id"]}
        self.table("groups")[group_id] = group
        return ActionResult({"computeNodeGroup": group})

    def get_compute_node_group(self) -> ActionResult:
        """GetComputeNodeGroup."""
        return ActionResult({"computeNodeGroup": self._child("groups", "computeNodeGroupIdentifier")})

    def list_compute_node_groups(self) -> ActionResult:
        """ListComputeNodeGroups."""
        return ActionResult({"computeNodeGroups": list(self._in(self._cluster(), "groups"))})

    def update_compute_node_group(self) -> ActionResult:
        """UpdateComputeNodeGroup."""
        group, request = self._child("groups", "computeNodeGroupIdentifier"), self._get_params()
        self._check_group(request)
        kept = {k: v for k, v in request.items() if k not in (*_NOT_KEPT, "computeNodeGroupIdentifier")}
        group.update(kept, modifiedAt=now())
        return ActionResult({"computeNodeGroup": group})

    def delete_compute_node_group(self) -> EmptyResult:
        """DeleteComputeNodeGroup: requires that no queue uses the group."""
        group = self._child("groups", "computeNodeGroupIdentifier")
        for queue in self._in(self._cluster(), "queues"):
            if {"computeNodeGroupId": group["id"]} in queue["computeNodeGroupConfigurations"]:
                message = f"Compute node group {group['id']} is associated with queue {queue['id']}"
                raise RefusedError("ConflictException", message)
        return self.drop("groups", group["id"], group["arn"])

    def create_queue(self) -> ActionResult:
        """CreateQueue."""
        cluster, request = self._cluster(), self._get_params()
        self._new_in(cluster, "queues", request["queueName"])
        self._check_queue(cluster, request)
        queue_id = f"pcs_{self.next_id('queue')}"
        path = f"cluster/{cluster['id']}/queue/{queue_id}"
        queue = self._record(request, request["queueName"], queue_id, path)
        queue = {"computeNodeGroupConfigurations": [], **queue, "clusterId": cluster["id"]}
        self.table("queues")[queue_id] = queue
        return ActionResult({"queue": queue})

    def get_queue(self) -> ActionResult:
        """GetQueue."""
        return ActionResult({"queue": self._child("queues", "queueIdentifier")})

    def list_queues(self) -> ActionResult:
        """ListQueues."""
        return ActionResult({"queues": list(self._in(self._cluster(), "queues"))})

    def update_queue(self) -> ActionResult:
        """UpdateQueue."""
        queue, request = self._child("queues", "queueIdentifier"), self._get_params()
        self._check_queue(self._cluster(), request)
        kept = {k: v for k, v in request.items() if k not in (*_NOT_KEPT, "queueIdentifier")}
        queue.update(kept, modifiedAt=now())
        return ActionResult({"queue": queue})

    def delete_queue(self) -> EmptyResult:
        """DeleteQueue."""
        queue = self._child("queues", "queueIdentifier")
        return self.drop("queues", queue["id"], queue["arn"])

    def _record(self, request: Record, name: str, record_id: str, path: str) -> Record:
        arn = self.arn(path)
        self.keep_tags(arn, request.get("tags"))
        kept = {key: value for key, value in request.items() if key not in _NOT_KEPT}
        times = {"createdAt": now(), "modifiedAt": now()}
        return {"name": name, "id": record_id, "arn": arn, "status": "ACTIVE", **times, **kept}

    def _complete(self, cluster: Record) -> None:
        """Add an endpoint for each daemon, in the cluster's subnet, as the service does."""
        settings = cluster.setdefault("slurmConfiguration", {})
        daemons = ["SLURMCTLD"]
        if (settings.get("accounting") or {}).get("mode") == "STANDARD":
            daemons.append("SLURMDBD")
        if (settings.get("slurmRest") or {}).get("mode") == "STANDARD":
            daemons.append("SLURMRESTD")
        where = (self.current_account, self.region, cluster["networking"]["subnetIds"][0])
        address = existence.address_in(*where, cluster["id"])
        cluster["endpoints"] = [
            {"type": daemon, "privateIpAddress": address, "port": _PORTS[daemon]} for daemon in daemons
        ]
        cluster["modifiedAt"] = now()

    def _check_group(self, request: Record) -> None:
        self.require_network(request.get("subnetIds") or [], request.get("securityGroupIds") or [])
        template = request.get("customLaunchTemplate")
        where = (self.current_account, self.region)
        if template and existence.launch_template_data(*where, template) is None:
            message = f"The launch template {template['id']} has no version {template['version']}"
            raise RefusedError("ValidationException", message)
        profile_arn = request.get("iamInstanceProfileArn")
        if profile_arn is None:
            return
        profile = existence.instance_profile(self.current_account, profile_arn)
        if profile is None:
            raise RefusedError("ValidationException", f"Instance profile {profile_arn} does not exist")
        if not any(r.name.startswith(_ROLE_NAME) or r.path == _ROLE_PATH for r in profile.roles):
            message = (
                f"The role of {profile_arn} needs a name that starts with {_ROLE_NAME} or path {_ROLE_PATH}"
            )
            raise RefusedError("ValidationException", message)

    def _check_queue(self, cluster: Record, request: Record) -> None:
        known = {group["id"] for group in self._in(cluster, "groups")}
        for used in request.get("computeNodeGroupConfigurations") or []:
            if used["computeNodeGroupId"] not in known:
                message = f"Compute node group {used['computeNodeGroupId']} is not in cluster {cluster['id']}"
                raise RefusedError("ResourceNotFoundException", message)

    def _cluster(self) -> Record:
        return self._named(self.table("clusters").values(), self._get_param("clusterIdentifier"))

    def _child(self, kind: str, parameter: str) -> Record:
        return self._named(self._in(self._cluster(), kind), self._get_param(parameter))

    def _in(self, cluster: Record, kind: str) -> Iterator[Record]:
        return (r for r in list(self.table(kind).values()) if r["clusterId"] == cluster["id"])

    def _new_in(self, cluster: Record, kind: str, name: str) -> None:
        siblings = {record["id"]: record for record in self._in(cluster, kind)}
        if len(siblings) >= MAX_PER_CLUSTER:
            message = f"the limit is {MAX_PER_CLUSTER} {kind} in a cluster"
            raise RefusedError("ServiceQuotaExceededException", message)
        self._free(kind.removesuffix("s"), name, siblings)

    @staticmethod
    def _free(kind: str, name: str, taken: dict[str, Record]) -> None:
        if any(record["name"] == name for record in taken.values()):
            raise RefusedError("ConflictException", f"A {kind} with the name {name} already exists")

    def _named(self, records: Any, name_or_id: str) -> Record:
        for record in records:
            if name_or_id in (record["id"], record["name"], record["arn"]):
                return cast("Record", record)
        raise self.missing(name_or_id)
