"""Metrics and logs that the Region's services take."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.profile.base import LOG_RETENTION_DAYS
from config.profile.observability.metrics import ManagedGrafana, ManagedPrometheus
from config.rules.registry import ERROR, NOTE, Finding, rule

_GRAFANA = "https://docs.aws.amazon.com/grafana/latest/userguide/what-is-Amazon-Managed-Service-Grafana.html"


@rule(
    "OBS001", ERROR, "Amazon Managed Grafana exists in the profile's Region",
    why="CloudFormation does not know the resource type there, and the whole stack rolls back.",
    source=_GRAFANA, reads="region observability",
    ages="the Regions that have Amazon Managed Grafana",
)  # fmt: skip
def grafana_is_in_the_region(design: Design) -> Iterator[Finding]:
    """The Region has AWS::Grafana::Workspace."""
    observability, here = design.profile.observability, design.profile.region
    grafana = observability.grafana if observability else None
    if not isinstance(grafana, ManagedGrafana):
        return
    wanted = grafana.region or here
    region = catalog().region(wanted)
    if (region is None and grafana.region) or (region is not None and not region.grafana):
        known = sorted(name for name, row in catalog().regions.items() if row.grafana)
        yield Finding(
            at=("observability", "grafana", *(("region",) if grafana.region else ())),
            message=f"Amazon Managed Grafana is not offered in {wanted}",
            hint=f"write `grafana: null`, or use a Grafana elsewhere; it is in {', '.join(known)}",
        )


@rule(
    "OBS002", ERROR, "Amazon Managed Service for Prometheus exists in the profile's Region",
    why="CloudFormation does not know the resource type there, and the whole stack rolls back.",
    source="https://docs.aws.amazon.com/prometheus/latest/userguide/what-is-Amazon-Managed-Service-Prometheus.html",
    reads="region observability",
    ages="the Regions that have Amazon Managed Service for Prometheus",
)  # fmt: skip
def prometheus_is_in_the_region(design: Design) -> Iterator[Finding]:
    """The Region has AWS::APS::Workspace."""
    observability, region = design.profile.observability, catalog().region(design.profile.region)
    managed = observability is not None and isinstance(observability.prometheus, ManagedPrometheus)
    if managed and region and not region.prometheus:
        yield Finding(
            at=("observability", "prometheus"),
            message=f"Amazon Managed Service for Prometheus is not offered in {region.name}",
            hint="write `prometheus: null`, or name one of your own with `kind: existing`",
        )


@rule(
    "OBS003", NOTE, "IAM Identity Center is enabled where Grafana signs in with it",
    why="Without it the workspace's creation fails and the whole stack rolls back.",
    source="https://docs.aws.amazon.com/grafana/latest/userguide/authentication-in-AMG-SSO.html",
    reads="observability", where="identity-center",
)  # fmt: skip
def identity_center_is_enabled(design: Design) -> Iterator[Finding]:
    """identity-center is stated on purpose."""
    observability = design.profile.observability
    grafana = observability.grafana if observability else None
    if isinstance(grafana, ManagedGrafana) and grafana.authentication == "identity-center":
        yield Finding(
            at=("observability", "grafana", "authentication"),
            message="identity-center needs IAM Identity Center in the account's organization",
            hint="enable it first, or write `authentication: saml`",
        )


@rule(
    "LOG001", ERROR, "logs are kept for a number of days that CloudWatch Logs knows",
    why="PutRetentionPolicy refuses other numbers.",
    source="https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html",
    reads="observability network",
)  # fmt: skip
def retention_is_a_known_number(design: Design) -> Iterator[Finding]:
    """Flow logs and the cluster's log groups."""
    profile = design.profile
    stated: list[tuple[tuple[str, ...], int]] = []
    if profile.observability:
        stated.append((("observability", "log_retention_days"), profile.observability.log_retention_days))
    if profile.network and profile.network.kind == "new":
        stated.append((("network", "flow_log_retention_days"), profile.network.flow_log_retention_days))
    for at, days in stated:
        if days not in LOG_RETENTION_DAYS:
            near = sorted(sorted(LOG_RETENTION_DAYS, key=lambda known: abs(known - days))[:2])
            yield Finding(
                at=at,
                message=f"CloudWatch Logs does not keep logs for {days} days",
                hint=f"use {' or '.join(map(str, near))}",
            )
