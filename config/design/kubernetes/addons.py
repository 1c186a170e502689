"""Add-ons of every EKS cluster, and the versions of all add-ons."""

from __future__ import annotations

from dataclasses import replace

from config.catalog import catalog
from config.design.kubernetes.model import AddonPlan, IdentityPlan, Part
from config.profile.kubernetes.base import Kubernetes

SYSTEM = "kube-system"


def network_and_names() -> Part:
    """Return the add-ons for the pod network, services, DNS and pod credentials.

    The VPC CNI has a dedicated role; other pods on a node therefore cannot change network interfaces.
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
            # CoreDNS needs a node; without one, EKS reports the add-on as degraded
            AddonPlan(name="coredns", after_nodes=True),
        ),
    )


def versioned(part: Part, kubernetes: Kubernetes) -> Part:
    """Return the add-ons, each with the version from the profile, or else from the add-on or the catalogue.

    An add-on without any of these versions gets EKS's default version.
    """
    return replace(part, addons=tuple(_versioned(addon, kubernetes) for addon in part.addons))


def _versioned(addon: AddonPlan, kubernetes: Kubernetes) -> AddonPlan:
    known = addon.version or catalog().eks.addon_version(addon.name, kubernetes.kubernetes_version)
    return replace(addon, version=kubernetes.addon_versions.get(addon.name) or known)
