"""Local NVMe disks, and the program that formats and mounts them with each control plane."""

from __future__ import annotations

from typing import Any, Literal

Owner = Literal["dlami-nvme", "nodeadm"]

_OWNERS: dict[str, Owner] = {
    # a service of Deep Learning AMIs and of HyperPod's images, which creates its volume by default
    "hyperpod-slurm": "dlami-nvme",
    "hyperpod-eks": "dlami-nvme",
    "pcs": "dlami-nvme",
    # setup-local-disks of the EKS images, which runs only if a NodeConfig requests it
    "eks": "nodeadm",
}


def script_policy(kind: str, *, wanted: bool) -> str:
    """Return the disk policy of node scripts: `dlami-nvme` (use), `none` (do not use) or `other` (ignore).

    If nodeadm manages the disks, scripts must not manage them.
    """
    if _OWNERS[kind] != "dlami-nvme":
        return "other"
    return "dlami-nvme" if wanted else "none"


def node_config(*, local_storage: bool, max_pods_expression: str | None = None) -> dict[str, Any]:
    """Return the NodeConfig for an EKS node group's user data; EKS adds the settings of the cluster.

    RAID0 stripes all local disks and stores the data of containerd, the kubelet and pod logs there; without
    it the disks are not formatted (awslabs/amazon-eks-ami:nodeadm/api/v1alpha1/nodeconfig_types.go).
    """
    spec: dict[str, Any] = {}
    if local_storage:
        spec["instance"] = {"localStorage": {"strategy": "RAID0"}}
    if max_pods_expression:
        spec["kubelet"] = {"maxPodsExpression": max_pods_expression}
    return {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}
