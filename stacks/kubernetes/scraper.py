"""Metrics scraper (AMP) of a Kubernetes cluster: construct props from the plan."""

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
    """Add the scraper; return None if it does not collect the profile's metrics.

    The scraper's network interfaces are in EKS's subnets, and in the security groups of nodes and cluster,
    whose members can reach one another and the Kubernetes API. The scraper queries this API for its targets.
    The scraper does not need nodes, and is created in parallel with them.
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
