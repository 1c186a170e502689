"""Kubernetes contents of a Region's clusters, and the states of EKS and HyperPod that they depend on."""

from __future__ import annotations

from config.catalog import catalog
from scripts.cloud.extensions.kubernetes.eks_records import EksRecords
from scripts.cloud.extensions.kubernetes.hyperpod import is_scaled, nodes_on

from .contents import Contents

_TABLE = "contents"
# EKS add-ons that install the same custom resources as the chart of that component:
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance-setup.html
# (task governance installs Kueue),
# https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html
_CHARTS = {
    "amazon-sagemaker-hyperpod-taskgovernance": "kueue",
    "eks-node-monitoring-agent": "eks-node-monitoring-agent",
    "aws-mountpoint-s3-csi-driver": "aws-mountpoint-s3-csi-driver",
}
# https://github.com/aws/amazon-vpc-cni-k8s/tree/master/charts/aws-vpc-cni/crds,
# https://cert-manager.io/docs/reference/api-docs/
_KINDS = {
    "vpc-cni": ("crd.k8s.amazonaws.com/v1alpha1 ENIConfig", "networking.k8s.aws/v1alpha1 PolicyEndpoint"),
    "cert-manager": tuple(
        f"cert-manager.io/v1 {kind}"
        for kind in ("Certificate", "CertificateRequest", "ClusterIssuer", "Issuer")
    ),
}

# HyperPod installs these with its own Karpenter:
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling-nodeclass.html
KINDS_OF_KARPENTER = (
    "karpenter.sagemaker.amazonaws.com/v1 HyperpodNodeClass",
    "karpenter.sh/v1 NodeClaim",
    "karpenter.sh/v1 NodePool",
)


def contents_of(account: str, region: str, cluster_name: str) -> Contents:
    """Return the contents of a cluster; raise KeyError if it does not exist."""
    cluster = EksRecords.records(account, region, "clusters")[cluster_name]
    kept = EksRecords.records(account, region, _TABLE)
    # a cluster that is created again under its name is empty
    found = kept.setdefault(cluster["endpoint"], {})
    contents: Contents = found.setdefault("contents", Contents(version=cluster["version"]))
    contents.version = cluster["version"]
    return contents


def kinds_of_addons(account: str, region: str, cluster_name: str) -> frozenset[str]:
    """Return the kinds of the custom resources that HyperPod and the cluster's add-ons have installed."""
    found: set[str] = set()
    for addon in EksRecords.records(account, region, "addons").values():
        if addon["clusterName"] == cluster_name:
            name = addon["addonName"]
            found.update(_KINDS.get(name, ()))
            if name in _CHARTS:
                found.update(catalog().charts[_CHARTS[name]].brings)
    if is_scaled(account, region, cluster_name):
        found.update(KINDS_OF_KARPENTER)
    return frozenset(found)


def has_nodes(account: str, region: str, cluster_name: str) -> bool:
    """Return whether the cluster has a node that can run a pod, from a node group or from HyperPod."""
    groups = EksRecords.records(account, region, "nodegroups").values()
    if any(g["clusterName"] == cluster_name and g["scalingConfig"].get("desiredSize", 1) for g in groups):
        return True
    return nodes_on(account, region, cluster_name) > 0


def may_administer(account: str, region: str, cluster_name: str, role_arn: str) -> bool:
    """Return whether a role has an access entry whose policy allows changes of a cluster's contents."""
    entry = EksRecords.records(account, region, "entries").get(f"{cluster_name}/{role_arn}")
    return entry is not None and any("AmazonEKSClusterAdminPolicy" in arn for arn in entry["policies"])
