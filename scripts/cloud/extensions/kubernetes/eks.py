"""Amazon EKS clusters and their configuration; moto's own model drops most properties."""

from __future__ import annotations

import base64
from typing import Any, cast

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends

from scripts.cloud.extensions import existence
from scripts.cloud.extensions.records import Record, RefusedError, now

from .eks_access import AccessOperations
from .eks_addons import AddonOperations
from .eks_nodegroups import NodegroupOperations
from .eks_records import EksRecords

# the newest version that https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html listed
DEFAULT_VERSION = "1.36"
# UpdateClusterConfig changes one of these in a request:
# https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateClusterConfig.html
_ONE_AT_A_TIME = (
    ("resourcesVpcConfig",),
    ("logging",),
    ("accessConfig",),
    ("upgradePolicy",),
    ("zonalShiftConfig",),
    ("computeConfig", "kubernetesNetworkConfig", "storageConfig"),
    ("remoteNetworkConfig",),
    ("deletionProtection",),
    ("controlPlaneScalingConfig",),
)
_NOT_KEPT = ("clientRequestToken", "bootstrapSelfManagedAddons")


class ClusterOperations(EksRecords):
    """EKS operations on clusters."""

    def create_cluster(self) -> ActionResult:
        """CreateCluster."""
        request = self._get_params()
        name, network = request["name"], dict(request["resourcesVpcConfig"])
        if name in self.table("clusters"):
            raise RefusedError("ResourceInUseException", f"Cluster already exists with name: {name}")
        self.require_role(request["roleArn"])
        self.require_network(network["subnetIds"], network.get("securityGroupIds") or [])
        vpc = self._vpc_of(network["subnetIds"])
        for encrypted in request.get("encryptionConfig") or []:
            self.require_key(encrypted["provider"]["keyArn"])
        cluster_id = self.next_id("cluster", 32).upper()
        host = f"{cluster_id}.gr7.{self.region}.eks.amazonaws.com"
        cluster: Record = {
            "version": DEFAULT_VERSION,
            "kubernetesNetworkConfig": {},
            "accessConfig": {},
            **{key: value for key, value in request.items() if key not in _NOT_KEPT},
            "arn": self.arn(f"cluster/{name}"),
            "createdAt": now(),
            "endpoint": f"https://{host}",
            "identity": {"oidc": {"issuer": f"https://oidc.eks.{self.region}.amazonaws.com/id/{cluster_id}"}},
            "status": "ACTIVE",
            "certificateAuthority": {"data": base64.b64encode(f"certificate of {name}".encode()).decode()},
            "tags": dict(request.get("tags") or {}),
        }
        # defaults: https://docs.aws.amazon.com/eks/latest/APIReference/API_VpcConfigRequest.html,
        # API_CreateAccessConfigRequest.html, API_KubernetesNetworkConfigRequest.html
        group = self._cluster_security_group(name, vpc)
        cluster["resourcesVpcConfig"] = {
            "endpointPublicAccess": True,
            "endpointPrivateAccess": False,
            "publicAccessCidrs": ["0.0.0.0/0"],
            "securityGroupIds": [],
            **network,
            "clusterSecurityGroupId": group,
            "vpcId": vpc,
        }
        cluster["accessConfig"] = {"authenticationMode": "CONFIG_MAP", **cluster["accessConfig"]}
        addresses = {"ipFamily": "ipv4", "serviceIpv4Cidr": "172.20.0.0/16"}
        cluster["kubernetesNetworkConfig"] = {**addresses, **cluster["kubernetesNetworkConfig"]}
        self.table("clusters")[name] = cluster
        self.keep_tags(cluster["arn"], cluster["tags"])
        return ActionResult({"cluster": cluster})

    def describe_cluster(self) -> ActionResult:
        """DescribeCluster."""
        cluster = self.cluster(self._get_param("name"))
        return ActionResult({"cluster": cluster | {"tags": self.table("tags")[cluster["arn"]]}})

    def list_clusters(self) -> ActionResult:
        """ListClusters."""
        return ActionResult({"clusters": sorted(self.table("clusters"))})

    def update_cluster_config(self) -> ActionResult:
        """UpdateClusterConfig: accepts one type of change in a request."""
        request = self._get_params()
        cluster = self.cluster(request["name"])
        requested = [kind for kind in _ONE_AT_A_TIME if any(key in request for key in kind)]
        if len(requested) != 1:
            raise RefusedError(self.invalid, "Only one type of update can be allowed")
        for key in requested[0]:
            if key not in request:
                continue
            wanted = request[key]
            if key == "resourcesVpcConfig":
                self.require_network(wanted.get("subnetIds") or [], wanted.get("securityGroupIds") or [])
            merged = isinstance(wanted, dict) and key != "remoteNetworkConfig"
            cluster[key] = {**(cluster.get(key) or {}), **wanted} if merged else wanted
        return self.update("ConfigUpdate")

    def update_cluster_version(self) -> ActionResult:
        """UpdateClusterVersion: an upgrade by one minor version."""
        cluster, version = self.cluster(self._get_param("name")), self._get_param("version")
        before, after = (int(v.split(".")[1]) for v in (cluster["version"], version))
        if after != before + 1:  # see https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html
            message = f"Unsupported Kubernetes minor version update from {cluster['version']} to {version}"
            raise RefusedError(self.invalid, message)
        cluster["version"] = version
        return self.update("VersionUpdate")

    def delete_cluster(self) -> ActionResult:
        """DeleteCluster: deletes the cluster with its contents; node groups must be deleted first."""
        cluster = self.cluster(self._get_param("name"))
        if cluster.get("deletionProtection"):
            raise RefusedError("InvalidRequestException", "Cluster has deletion protection enabled")
        if any(self.of_cluster("nodegroups", cluster["name"])):
            raise RefusedError("ResourceInUseException", "Cluster has nodegroups attached")
        for kind in ("addons", "entries", "associations"):
            for key, record in list(self.table(kind).items()):
                if record["clusterName"] == cluster["name"]:
                    del self.table(kind)[key]
        del self.table("clusters")[cluster["name"]]
        self.forget_tags(cluster["arn"])
        network = cluster["resourcesVpcConfig"]
        groups = ec2_backends[self.current_account][self.region].groups[network["vpcId"]]
        groups.pop(network["clusterSecurityGroupId"], None)
        return ActionResult({"cluster": cluster})

    def _vpc_of(self, subnet_ids: list[str]) -> str:
        """Check the subnets (https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html)."""
        subnets = existence.subnets_of(self.current_account, self.region, subnet_ids)
        if len({subnet.availability_zone for subnet in subnets}) < 2:
            raise RefusedError(self.invalid, "Subnets specified must be in at least two different AZs")
        return cast("str", subnets[0].vpc_id)

    def _cluster_security_group(self, name: str, vpc: str) -> str:
        """Create the security group of EKS; its members can connect to each other (sec-group-reqs.html)."""
        ec2: Any = ec2_backends[self.current_account][self.region]
        title = f"eks-cluster-sg-{name}-{self.next_id('group')}"
        tags = {f"kubernetes.io/cluster/{name}": "owned"}
        group = ec2.create_security_group(title, "EKS created security group", vpc_id=vpc, tags=tags)
        itself = [{"GroupId": group.id}]
        ec2.authorize_security_group_ingress(group.id, "-1", None, None, [], source_groups=itself)
        return cast("str", group.id)


class EksService(ClusterOperations, NodegroupOperations, AddonOperations, AccessOperations):
    """All operations of EKS."""
