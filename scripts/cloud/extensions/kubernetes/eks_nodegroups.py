"""EKS managed node groups."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends

from config.catalog import catalog
from scripts.cloud.extensions import calendar, existence
from scripts.cloud.extensions.capacity.reservations import block_of, reservation_of
from scripts.cloud.extensions.records import Record, RefusedError, now, table

from .eks_access import add_entry
from .eks_records import EksRecords

_NOT_KEPT = ("clientRequestToken",)


class NodegroupOperations(EksRecords):
    """EKS operations on node groups."""

    def create_nodegroup(self) -> ActionResult:
        """CreateNodegroup."""
        request = self._get_params()
        cluster, name = self.own_cluster(), request["nodegroupName"]
        key = f"{cluster['name']}/{name}"
        if key in self.table("nodegroups"):
            message = f"NodeGroup already exists with name {name} and cluster name {cluster['name']}"
            raise RefusedError("ResourceInUseException", message)
        self.require_role(request["nodeRole"])
        self.require_network(request["subnets"], [])
        data = self._template(request)
        group_id = self.next_id("nodegroup", 36)
        group: Record = {
            "capacityType": "ON_DEMAND",
            "version": cluster["version"],
            "labels": {},
            "taints": [],
            **{key: value for key, value in request.items() if key not in _NOT_KEPT},
            "nodegroupArn": self.arn(f"nodegroup/{key}/{group_id}"),
            "createdAt": now(),
            "modifiedAt": now(),
            "status": "ACTIVE",
            "resources": {"autoScalingGroups": [{"name": f"eks-{name}-{group_id}"}]},
            "health": {"issues": []},
            "tags": dict(request.get("tags") or {}),
        }
        if "instanceTypes" not in group and "InstanceType" not in data:
            # see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html
            group["instanceTypes"] = ["t3.medium"]
        self.table("nodegroups")[key] = group
        self.keep_tags(group["nodegroupArn"], group["tags"])
        add_entry(self.current_account, self.region, cluster["name"], group["nodeRole"], "EC2_LINUX")
        return ActionResult({"nodegroup": group})

    def describe_nodegroup(self) -> ActionResult:
        """DescribeNodegroup."""
        group = self._nodegroup()
        return ActionResult({"nodegroup": group | {"tags": self.table("tags")[group["nodegroupArn"]]}})

    def list_nodegroups(self) -> ActionResult:
        """ListNodegroups."""
        names = [
            group["nodegroupName"] for group in self.of_cluster("nodegroups", self.own_cluster()["name"])
        ]
        return ActionResult({"nodegroups": names})

    def update_nodegroup_config(self) -> ActionResult:
        """UpdateNodegroupConfig."""
        group, request = self._nodegroup(), self._get_params()
        labels = request.get("labels") or {}
        group["labels"] = {**group["labels"], **(labels.get("addOrUpdateLabels") or {})}
        for key in labels.get("removeLabels") or []:
            group["labels"].pop(key, None)
        taints = request.get("taints") or {}
        group["taints"] = _tainted(group["taints"], taints)
        for key in ("scalingConfig", "updateConfig", "nodeRepairConfig", "warmPoolConfig"):
            if key in request:
                group[key] = {**group.get(key, {}), **request[key]}
        group["modifiedAt"] = now()
        return self.update("ConfigUpdate")

    def update_nodegroup_version(self) -> ActionResult:
        """UpdateNodegroupVersion: changes the Kubernetes version, the AMI version or the template version."""
        group, request = self._nodegroup(), self._get_params()
        template = request.get("launchTemplate")
        if template:
            known = group.get("launchTemplate")
            if known is None or not {known.get("id"), known.get("name")} & set(template.values()):
                raise RefusedError(self.invalid, "You cannot change the launch template, only its version")
            self._template(request)
            group["launchTemplate"] = template
        for key in ("version", "releaseVersion"):
            if key in request:
                group[key] = request[key]
        group["modifiedAt"] = now()
        return self.update("VersionUpdate")

    def delete_nodegroup(self) -> ActionResult:
        """DeleteNodegroup."""
        group = self._nodegroup()
        del self.table("nodegroups")[f"{group['clusterName']}/{group['nodegroupName']}"]
        self.forget_tags(group["nodegroupArn"])
        if not any(
            g["nodeRole"] == group["nodeRole"] for g in self.of_cluster("nodegroups", group["clusterName"])
        ):
            self.table("entries").pop(f"{group['clusterName']}/{group['nodeRole']}", None)
        return ActionResult({"nodegroup": group})

    def _nodegroup(self) -> Record:
        cluster, name = self.own_cluster(), self._get_param("nodegroupName")
        group = self.table("nodegroups").get(f"{cluster['name']}/{name}")
        if group is None:
            raise RefusedError(self.not_found, f"No node group found for name: {name}.")
        scale_in(self.current_account, self.region, group)
        return group

    def _template(self, request: Record) -> Any:
        """Return the data of the launch template; empty if the group has none."""
        template = request.get("launchTemplate")
        if not template:
            return {}
        data = existence.launch_template_data(self.current_account, self.region, template)
        if data is None:
            raise RefusedError(self.invalid, f"the launch template does not exist: {template}")
        return data


def _tainted(before: list[Record], change: Record) -> list[Record]:
    """Return the taints of a node group after a change; a taint is identified by its key and effect."""
    removed = [(t["key"], t["effect"]) for t in change.get("removeTaints") or []]
    added = change.get("addOrUpdateTaints") or []
    replaced = removed + [(t["key"], t["effect"]) for t in added]
    return [t for t in before if (t["key"], t["effect"]) not in replaced] + added


def scale_in(account: str, region: str, group: Record) -> None:
    """Scale the node group to 0, as EKS does once before the group's Capacity Block ends.

    Source: https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
    """
    data = existence.launch_template_data(account, region, group.get("launchTemplate") or {}) or {}
    block = block_of(account, region, reservation_of(data))
    if block is None:
        return
    done = table(ec2_backends[account][region], "scaled_in").setdefault(group["nodegroupArn"], {})
    before = timedelta(minutes=catalog().reservations.capacity_block.eks_scales_down_minutes_before_end)
    block_id = block["CapacityReservationId"]
    if block_id not in done and calendar.now() >= block["EndDate"] - before:
        done[block_id] = True
        group["scalingConfig"] = {**group["scalingConfig"], "desiredSize": 0, "minSize": 0}
