"""The add-ons that every cluster of EKS needs, and the versions of all."""

from __future__ import annotations

from dataclasses import replace

from config.catalog import catalog
from config.design.kubernetes.model import AddonPlan, IdentityPlan, Part
from config.profile.kubernetes.base import Kubernetes

SYSTEM = "kube-system"


def network_and_names() -> Part:
    """The network of pods, the way to services, their names, and the credentials of pods.

    The VPC CNI has a role of its own, so that nothing else on a node may change interfaces.
    """
    return Part(
        identities=(
            IdentityPlan(
                name="vpc-cni",
                namespace=SYSTEM,
                service_account="aws-node",
                managed_policies=("AmazonEKS_CNI_Policy",),
            ),
        ),
        addons=(
            AddonPlan(name="eks-pod-identity-agent"),
            AddonPlan(name="vpc-cni"),
            AddonPlan(name="kube-proxy"),
            # its pods need a node, and until they run the add-on counts as degraded
            AddonPlan(name="coredns", after_nodes=True),
        ),
    )


def versioned(part: Part, kubernetes: Kubernetes) -> Part:
    """The same with the versions of add-ons: the profile's, their own, the catalogue's, or EKS's default."""
    return replace(part, addons=tuple(_versioned(addon, kubernetes) for addon in part.addons))


def _versioned(addon: AddonPlan, kubernetes: Kubernetes) -> AddonPlan:
    known = addon.version or catalog().eks.addon_version(addon.name, kubernetes.kubernetes_version)
    return replace(addon, version=kubernetes.addon_versions.get(addon.name) or known)
