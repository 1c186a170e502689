"""The AMP scraper of a Kubernetes cluster, with construct props from the plan."""

from __future__ import annotations

from constructs import Construct

from config.design.kubernetes.cluster import ControlPlanePlan
from config.design.kubernetes.steps import filled
from stacks.common import tags_of
from stacks.foundation import Foundation
from stacks.kubernetes.steps import stack_values
from ultracluster.kubernetes.eks_cluster import EksCluster
from ultracluster.observability import MetricsScraper, MetricsScraperProps


def add_scraper(
    scope: Construct, on: Foundation, plan: ControlPlanePlan, cluster: EksCluster
) -> MetricsScraper | None:
    """Add the scraper and return it; return None if the profile does not use a scraper.

    The scraper's network interfaces are in the subnets of the EKS control plane. They have the security
    groups of the nodes and of the cluster, whose rules allow traffic to the nodes and to the Kubernetes API.
    The scraper queries this API for its targets. The scraper does not need nodes, and is created in parallel
    with them.
    """
    design, node_network, workspace_arn = on.design, on.node_network, on.workspaces.metrics_arn
    observability = design.observability
    if observability is None or observability.scraper is None or workspace_arn is None:
        return None
    return MetricsScraper(
        scope,
        "Scraper",
        MetricsScraperProps(
            alias=design.profile.name,
            cluster_arn=cluster.cluster_arn,
            subnet_ids=[node_network.subnet_ids[name] for name in plan.subnets],
            security_group_ids=[node_network.node_security_group_id, cluster.cluster_security_group_id],
            workspace_arn=workspace_arn,
            configuration=filled(observability.scraper, stack_values(on, cluster)),
            dependencies=node_network.security_group_rules,
            tags=tags_of(design.profile),
        ),
    )
