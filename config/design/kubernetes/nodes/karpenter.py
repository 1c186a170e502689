"""Karpenter: a node class and a node pool for each group whose nodes it launches.

Node classes list exactly the interfaces of the instance type: since version 1.11 Karpenter ignores instance
types with other interfaces, without an error (aws/karpenter-provider-aws issue 9489). No class requests
public addresses, which EC2 rejects for several interfaces (pull request 5666).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.catalog import catalog
from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.model import IdentityPlan, Part
from config.design.kubernetes.nodes.karpenter_policy import karpenter_statements
from config.design.kubernetes.nodes.needs import NodeNeeds
from config.design.kubernetes.steps import NODES, Manifest, Object, Release, later
from config.design.kubernetes.taints import node_taints
from config.design.network.plan import NetworkPlan
from config.design.nodes.repair.policy import policy_of
from config.design.nodes.repair.targets import karpenter_repair
from config.design.nodes.scripts import NodeScriptsPlan
from config.design.nodes.user_data import karpenter_user_data
from config.design.tags import profile_tags
from config.profile.capacity.groups import ExistingPlacementGroup
from config.profile.model import Profile
from config.profile.orchestrator import Eks

NAMESPACE = "kube-system"
RELEASE = "karpenter"
_REPLICAS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class KarpenterPlan:
    """Karpenter with its groups, and its interruption queue.

    `part` is the content for the cluster: the release, its role, and the objects of each group.
    """

    queue_name: str
    groups: tuple[str, ...]
    part: Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Cluster properties for Karpenter; `image_alias` is the image release in Karpenter's format."""

    name: str
    image_alias: str
    root_device: str
    system_nodes: int
    closed: bool


def karpenter_cluster(eks: Eks, name: str, groups: Sequence[GroupPlan], network: NetworkPlan) -> Cluster:
    """Return the cluster's properties; Karpenter's nodes have the same image and disks as other nodes."""
    family = eks.node_image.family
    release = eks.node_image.release or catalog().eks.image_releases[family].get(eks.kubernetes_version)
    # Karpenter writes 1.35.6-20260714 as al2023@v20260714, and 1.58.0-c5c37032 as bottlerocket@v1.58.0
    part = -1 if family == "al2023" else 0
    dated = f"v{release.split('-')[part]}" if release else "latest"
    return Cluster(
        name=name,
        image_alias=f"{family}@{dated}",
        root_device="/dev/xvdb" if family == "bottlerocket" else "/dev/xvda",
        system_nodes=sum(group.count for group in groups if group.role == "system"),
        closed=network.closed,
    )


def plan_karpenter(
    profile: Profile,
    groups: Sequence[GroupPlan],
    needs: Mapping[str, NodeNeeds],
    cluster: Cluster,
    scripts: NodeScriptsPlan | None = None,
) -> KarpenterPlan | None:
    """Return Karpenter with its groups; None if the profile does not enable it.

    Groups that Karpenter does not support are omitted (a rule reports them). `scripts` run on Karpenter's
    nodes as on nodes of node groups.
    """
    orchestrator = profile.orchestrator
    if not isinstance(orchestrator, Eks) or orchestrator.karpenter is None:
        return None
    queue_name = f"{profile.name}-karpenter"
    how = {group.name: group.nodes for group in orchestrator.karpenter.groups}
    launched = [group for group in groups if group.name in how and group.layout is not None]
    nvme = profile.storage is not None and profile.storage.local_nvme is not None
    objects: list[Object] = []
    for group in launched:
        user_data = _user_data(profile, scripts) if scripts else None
        tags = profile_tags(profile)
        objects.append(node_class(group, cluster, tags, local_nvme=nvme, user_data=user_data))
        objects.append(node_pool(group, needs[group.name], static=how[group.name] == "static"))
    static = any(how[group.name] == "static" for group in launched)
    repair = karpenter_repair(policy_of(profile))
    identity = IdentityPlan(
        name=RELEASE,
        namespace=NAMESPACE,
        service_account=RELEASE,
        statements=karpenter_statements(profile.region, cluster.name, queue_name),
    )
    pools = Manifest(name="karpenter-groups", objects=tuple(objects), after=(RELEASE,))
    return KarpenterPlan(
        queue_name=queue_name,
        groups=tuple(group.name for group in launched),
        part=Part(
            steps=(_release(cluster, queue_name, static=static, repair=repair.enabled), pools),
            identities=(identity,),
        ),
    )


def _release(cluster: Cluster, queue_name: str, *, static: bool, repair: bool) -> Release:
    """Return the controller's release, which has 2 replicas if there are 2 or more system nodes.

    `repair`: Karpenter replaces unhealthy nodes. Disruption budgets do not limit this, because they apply
    only to voluntary disruption (https://karpenter.sh/docs/concepts/disruption/#automated-forceful-methods).
    """
    return Release(
        name=RELEASE,
        chart=RELEASE,
        namespace=NAMESPACE,
        values={
            "replicas": max(1, min(_REPLICAS, cluster.system_nodes)),
            "serviceAccount": {"create": True, "name": RELEASE},
            # all system nodes are in one zone, so a spread over zones would leave the second replica pending
            "topologySpreadConstraints": [],
            "settings": {
                "clusterName": cluster.name,
                "interruptionQueue": queue_name,
                "isolatedVPC": cluster.closed,
                "featureGates": {"nodeRepair": repair, "reservedCapacity": True, "staticCapacity": static},
            },
        },
        after=(NODES,),
    )


def _user_data(profile: Profile, scripts: NodeScriptsPlan) -> str:
    return karpenter_user_data(scripts, bundle_uri=later("scripts-uri", "nodes"), region=profile.region)


def node_class(
    group: GroupPlan,
    cluster: Cluster,
    tags: Mapping[str, str],
    *,
    local_nvme: bool,
    user_data: str | None = None,
) -> Object:
    """Return the node class of a group: image, subnet, interfaces, reservation and disks.

    `tags` are those of instances, volumes and interfaces, which do not inherit the cluster's tags.
    """
    assert group.layout is not None
    disks = local_nvme and group.instance_type.local_nvme is not None
    volume = {"volumeSize": f"{group.root_volume_gib}Gi", "volumeType": "gp3", "encrypted": True}
    spec: dict[str, Any] = {
        "instanceProfile": later("instance-profile-name", "nodes"),
        "amiSelectorTerms": [{"alias": cluster.image_alias}],
        "subnetSelectorTerms": [{"id": later("subnet-id", group.subnet)}],
        "securityGroupSelectorTerms": [
            {"id": later("security-group-id", name)} for name in ("nodes", "cluster")
        ],
        "networkInterfaces": [
            {
                "networkCardIndex": interface.network_card_index,
                "deviceIndex": interface.device_index,
                "interfaceType": interface.interface_type.value,
            }
            for interface in group.layout.interfaces
        ],
        "blockDeviceMappings": [{"deviceName": cluster.root_device, "ebs": volume}],
        # pods need one more hop than the node, as in node groups
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 2},
        "tags": dict(tags),
        **_reservation(group),
    }
    if user_data is not None:
        spec["userData"] = user_data
    if disks:
        spec["instanceStorePolicy"] = "RAID0"
    if isinstance(group.placement_group, ExistingPlacementGroup):
        spec["placementGroupSelector"] = {"name": group.placement_group.name}
    if group.pods_per_node is not None:
        spec["kubelet"] = {"maxPods": group.pods_per_node}
    return {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": group.name},
        "spec": spec,
    }


def _reservation(group: GroupPlan) -> dict[str, Any]:
    if reservation := group.capacity.reservation_id:
        return {"capacityReservationSelectorTerms": [{"id": reservation}]}
    if group.purchase.open:
        return {"capacityReservationSelectorTerms": [{"instanceMatchCriteria": "open"}]}
    return {}


def node_pool(group: GroupPlan, needs: NodeNeeds, *, static: bool) -> Object:
    """Return the node pool of a group: number of nodes, instance type, labels and taints.

    A static pool always has the group's number of nodes; the other type scales up to this number. Karpenter
    does not remove a node that runs a job. A node that differs from its pool (drift) is replaced only when it
    is empty, or when a user deletes it.
    """
    instance = group.instance_type
    wanted = {
        "node.kubernetes.io/instance-type": [instance.name],
        "karpenter.k8s.aws/instance-family": [instance.family],
        "karpenter.sh/capacity-type": group.purchase.karpenter_types,
        "kubernetes.io/arch": ["arm64" if instance.arch == "arm64" else "amd64"],
        "kubernetes.io/os": ["linux"],
    }
    gpu = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    node: dict[str, Any] = {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": group.name},
        "requirements": [{"key": key, "operator": "In", "values": values} for key, values in wanted.items()],
        "taints": [*([gpu] if instance.is_gpu else []), *node_taints(group.taints)],
        "startupTaints": [{"key": key, "effect": "NoExecute"} for key in needs.startup_taints],
        "expireAfter": "Never",
    }
    spec: dict[str, Any] = {
        "template": {"metadata": {"labels": needs.labels}, "spec": node},
        "limits": {"nodes": str(group.count)},
        "disruption": {
            "consolidationPolicy": "WhenEmpty",
            "consolidateAfter": "Never" if static else "10m",
            # see https://karpenter.sh/docs/concepts/disruption/#nodepool-disruption-budgets
            "budgets": [{"nodes": "0", "reasons": ["Drifted"]}],
        },
    }
    if static:
        spec["replicas"] = group.count
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": group.name},
        "spec": spec,
    }
