"""The collector of a cluster's metrics: AMP managed collector, Prometheus agent, or neither."""

from __future__ import annotations

from typing import Literal

from config.catalog import catalog
from config.profile.kubernetes.base import Kubernetes
from config.profile.model import Profile
from config.profile.observability.metrics import ManagedPrometheus
from config.profile.orchestrator import HyperPodEks

Collector = Literal["managed", "agent", "none"]


def collector_of(profile: Profile) -> Collector:
    """Return the collector that the profile sets, or the default.

    The AMP collector requires Kubernetes, and is not available in each Region. For a workspace with a
    customer managed key, the AMP collector needs two more roles, so the default is then an agent
    (https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html).
    """
    declared = profile.observability
    if declared is None or declared.prometheus is None or profile.orchestrator is None:
        return "none"
    if declared.collection.collector is not None:
        return declared.collection.collector
    if isinstance(profile.orchestrator, HyperPodEks) and profile.orchestrator.observability_addon is not None:
        return "none"
    region = catalog().region(profile.region)
    managed = (
        isinstance(profile.orchestrator, Kubernetes)
        and isinstance(declared.prometheus, ManagedPrometheus)
        and declared.prometheus.kms_key_arn is None
        and (region is None or region.prometheus_scraper)
    )
    return "managed" if managed else "agent"
