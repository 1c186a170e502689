"""Local NVMe: one policy, carried out by the one program of each control plane that owns the disks."""

from __future__ import annotations

from typing import Any, Literal

Owner = Literal["dlami-nvme", "nodeadm"]

_OWNERS: dict[str, Owner] = {
    # the service of Deep Learning AMIs, which HyperPod's own images are built on; it makes its volume unasked
    "hyperpod-slurm": "dlami-nvme",
    "hyperpod-eks": "dlami-nvme",
    "pcs": "dlami-nvme",
    # setup-local-disks of the EKS images, which runs only where a NodeConfig asks for it
    "eks": "nodeadm",
}


def script_policy(kind: str, *, wanted: bool) -> str:
    """What node scripts do about local disks: `dlami-nvme` use them, `none` leave them, `other` see no disk.

    Where nodeadm owns the disks, a script that looked for them as well would be the second one.
    """
    if _OWNERS[kind] != "dlami-nvme":
        return "other"
    return "dlami-nvme" if wanted else "none"


def node_config(*, local_storage: bool, max_pods_expression: str | None = None) -> dict[str, Any]:
    """The NodeConfig of an EKS node group's user data; EKS fills in the cluster.

    RAID0 stripes all local disks and puts the data of containerd, the kubelet and pod logs on them; without
    it they stay unformatted (awslabs/amazon-eks-ami:nodeadm/api/v1alpha1/nodeconfig_types.go).
    """
    spec: dict[str, Any] = {}
    if local_storage:
        spec["instance"] = {"localStorage": {"strategy": "RAID0"}}
    if max_pods_expression:
        spec["kubelet"] = {"maxPodsExpression": max_pods_expression}
    return {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}
