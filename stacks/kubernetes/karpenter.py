"""Karpenter's resources outside the cluster, and the values of placeholders about nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from constructs import Construct

from config.design.kubernetes.model import IdentityPlan
from config.design.kubernetes.nodes.karpenter import KarpenterPlan
from config.design.kubernetes.steps import filled
from config.profile.model import Profile
from stacks.common import tags_of
from stacks.foundation import Foundation
from stacks.kubernetes.steps import Lookup
from ultracluster.kubernetes.eks_node_group import EksNodeRole
from ultracluster.kubernetes.karpenter import KarpenterPrerequisites, KarpenterPrerequisitesProps
from ultracluster.nodes import NodeScripts


def add_karpenter(
    scope: Construct, profile: Profile, plan: KarpenterPlan, role: EksNodeRole
) -> KarpenterPrerequisites:
    """Add the interruption queue, and an instance profile that contains the node groups' role."""
    props = KarpenterPrerequisitesProps(
        queue_name=plan.queue_name, node_role_name=role.role_name, tags=tags_of(profile)
    )
    return KarpenterPrerequisites(scope, "Karpenter", props)


def node_values(
    on: Foundation, role: EksNodeRole, scripts: NodeScripts | None, karpenter: KarpenterPrerequisites | None
) -> Lookup:
    """Return a lookup of placeholder values in pod roles and node classes; CloudFormation resolves them."""
    values = {
        ("role-arn", "nodes"): role.role_arn,
        ("scripts-uri", "nodes"): scripts.s3_uri if scripts else None,
        ("instance-profile-name", "nodes"): karpenter.instance_profile_name if karpenter else None,
        ("express-bucket-name", ""): on.storage.express_bucket_name,
        ("prometheus-arn", ""): on.workspaces.metrics_arn,
        ("prometheus-endpoint", ""): on.workspaces.metrics_endpoint,
    }

    def lookup(kind: str, name: str) -> str:
        value = values.get((kind, name))
        if value is None:
            raise ValueError(f"this stack has no value for {kind} {name}".rstrip())
        return value

    return lookup


def filled_identities(plans: Iterable[IdentityPlan], lookup: Lookup) -> list[IdentityPlan]:
    """Replace the placeholders in the statements of the pod roles; return the pod roles."""
    return [replace(plan, statements=tuple(filled(one, lookup) for one in plan.statements)) for plan in plans]
