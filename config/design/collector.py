"""Who collects a cluster's metrics: AMP's own collector, Prometheus in agent mode, or nobody of ours."""

from __future__ import annotations

from typing import Literal

from config.catalog import catalog
from config.profile.kubernetes.base import Kubernetes
from config.profile.model import Profile
from config.profile.observability.metrics import ManagedPrometheus
from config.profile.orchestrator import HyperPodEks

Collector = Literal["managed", "agent", "none"]


def collector_of(profile: Profile) -> Collector:
    """What the profile says, and else what fits.

    AMP's collector is for Kubernetes, where the Region has it. A workspace with a key of one's own takes it
    with two more roles alone, so that an agent is the simpler one there
    (https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html).
    """
    stated = profile.observability
    if stated is None or stated.prometheus is None or profile.orchestrator is None:
        return "none"
    if stated.collection.collector is not None:
        return stated.collection.collector
    if isinstance(profile.orchestrator, HyperPodEks) and profile.orchestrator.observability_addon is not None:
        return "none"
    region = catalog().region(profile.region)
    managed = (
        isinstance(profile.orchestrator, Kubernetes)
        and isinstance(stated.prometheus, ManagedPrometheus)
        and stated.prometheus.kms_key_arn is None
        and (region is None or region.prometheus_scraper)
    )
    return "managed" if managed else "agent"
