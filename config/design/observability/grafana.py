"""Grafana versions and the features that dashboards, data sources and their loader depend on."""

from __future__ import annotations

from dataclasses import dataclass

GRAFANA_VERSION = "10.4"
"""Version of a new Amazon Managed Grafana workspace. The version can be raised later but never lowered, so it
is the oldest version that Grafana's alerting and our dashboards support
(https://docs.aws.amazon.com/grafana/latest/userguide/AMG-workspace-version-update.html)."""

AMAZON_PROMETHEUS = "grafana-amazonprometheus-datasource"
"""Plugin that signs queries to AMP in Grafana versions that no longer sign them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrafanaRelease:
    """Features of Grafana from the version `since` on.

    `amp_source` is the type of data sources that query AMP. `amp_plugin` is true if a plugin provides this
    type.
    """

    since: str
    amp_source: str
    amp_plugin: bool
    api_keys: bool
    angular_panels: bool
    note: str
    sources: tuple[str, ...]


RELEASES = (
    GrafanaRelease(
        since="10.4",
        amp_source="prometheus",
        amp_plugin=False,
        api_keys=True,
        angular_panels=True,
        note="Alerting, service accounts and panels of schema 39; X-Ray's data source became a plugin.",
        sources=(
            "https://docs.aws.amazon.com/grafana/latest/userguide/v10-service-accounts.html",
            "https://github.com/terraform-aws-modules/terraform-aws-managed-service-grafana/issues/41",
        ),
    ),
    GrafanaRelease(
        since="12.0",
        amp_source=AMAZON_PROMETHEUS,
        amp_plugin=True,
        api_keys=False,
        angular_panels=False,
        note="The core Prometheus data source signs no requests. API keys and Angular panels are removed.",
        sources=(
            "https://docs.aws.amazon.com/grafana/latest/userguide/prometheus-manually-adding.html",
            "https://github.com/argoproj/argo-cd/issues/19027",
        ),
    ),
    GrafanaRelease(
        since="13.0",
        amp_source=AMAZON_PROMETHEUS,
        amp_plugin=True,
        api_keys=False,
        angular_panels=False,
        note="Dashboards are converted to schema v2 when they are loaded.",
        sources=("https://docs.aws.amazon.com/grafana/latest/userguide/AMG-workspace-version-update.html",),
    ),
)
"""Releases, oldest first."""


def release_of(version: str) -> GrafanaRelease:
    """Return the release of a version; a version older than all releases counts as the oldest."""
    fitting = [release for release in RELEASES if _numbers(release.since) <= _numbers(version)]
    return fitting[-1] if fitting else RELEASES[0]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
