"""Rules for the Regions and settings that the observability services support."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.profile.base import LOG_RETENTION_DAYS
from config.profile.observability.metrics import ManagedGrafana, ManagedPrometheus
from config.rules.registry import ERROR, NOTE, Finding, rule

_GRAFANA = "https://docs.aws.amazon.com/grafana/latest/userguide/what-is-Amazon-Managed-Service-Grafana.html"


@rule(
    "OBS001", ERROR, "Amazon Managed Grafana is available in the workspace's Region",
    why="In a Region without the service, CloudFormation rejects the resource type, and the whole stack rolls back.",
    source=_GRAFANA, reads="region observability",
    ages="the Regions that have Amazon Managed Grafana",
)  # fmt: skip
def grafana_is_in_the_region(design: Design) -> Iterator[Finding]:
    """Check that the Region has AWS::Grafana::Workspace."""
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
            message=f"Amazon Managed Grafana is not available in {wanted}",
            hint=f"set `grafana: null`, or set `grafana.region` to one of {', '.join(known)}",
        )


@rule(
    "OBS002", ERROR, "Amazon Managed Service for Prometheus is available in the profile's Region",
    why="In a Region without the service, CloudFormation rejects the resource type, and the whole stack rolls back.",
    source="https://docs.aws.amazon.com/prometheus/latest/userguide/what-is-Amazon-Managed-Service-Prometheus.html",
    reads="region observability",
    ages="the Regions that have Amazon Managed Service for Prometheus",
)  # fmt: skip
def prometheus_is_in_the_region(design: Design) -> Iterator[Finding]:
    """Check that the Region has AWS::APS::Workspace."""
    observability, region = design.profile.observability, catalog().region(design.profile.region)
    managed = observability is not None and isinstance(observability.prometheus, ManagedPrometheus)
    if managed and region and not region.prometheus:
        yield Finding(
            at=("observability", "prometheus"),
            message=f"Amazon Managed Service for Prometheus is not available in {region.name}",
            hint="set `prometheus: null`, or use an existing Prometheus with `prometheus: {kind: existing}`",
        )


@rule(
    "OBS003", NOTE, "IAM Identity Center is enabled if Grafana uses it for sign-in",
    why="Without IAM Identity Center, Amazon Managed Grafana cannot create the workspace and the whole stack rolls back.",
    source="https://docs.aws.amazon.com/grafana/latest/userguide/authentication-in-AMG-SSO.html",
    reads="observability", where="identity-center",
)  # fmt: skip
def identity_center_is_enabled(design: Design) -> Iterator[Finding]:
    """Report `authentication: identity-center`."""
    observability = design.profile.observability
    grafana = observability.grafana if observability else None
    if isinstance(grafana, ManagedGrafana) and grafana.authentication == "identity-center":
        yield Finding(
            at=("observability", "grafana", "authentication"),
            message="`authentication: identity-center` requires IAM Identity Center in the account's organization",
            hint="enable IAM Identity Center before you deploy, or set `authentication: saml`",
        )


@rule(
    "LOG001", ERROR, "CloudWatch Logs supports the retention time of the log groups",
    why="The API operation PutRetentionPolicy accepts only certain numbers of days.",
    source="https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html",
    reads="observability network",
)  # fmt: skip
def retention_is_a_known_number(design: Design) -> Iterator[Finding]:
    """Check the retention of flow logs and of the cluster's log groups."""
    profile = design.profile
    declared: list[tuple[tuple[str, ...], int]] = []
    if profile.observability:
        declared.append((("observability", "log_retention_days"), profile.observability.log_retention_days))
    if profile.network and profile.network.kind == "new":
        declared.append((("network", "flow_log_retention_days"), profile.network.flow_log_retention_days))
    for at, days in declared:
        if days not in LOG_RETENTION_DAYS:
            near = sorted(sorted(LOG_RETENTION_DAYS, key=lambda known: abs(known - days))[:2])
            yield Finding(
                at=at,
                message=f"CloudWatch Logs does not support a retention of {days} days",
                hint=f"set `{at[-1]}` to {' or '.join(map(str, near))}",
            )
