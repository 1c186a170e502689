"""Versions of Grafana: what each brings that dashboards, data sources and their loader go by."""

from __future__ import annotations

from dataclasses import dataclass

GRAFANA_VERSION = "10.4"
"""Version of a new Amazon Managed Grafana workspace. It can be raised later but never lowered, so it is the
oldest that Grafana's alerting and our dashboards need
(https://docs.aws.amazon.com/grafana/latest/userguide/AMG-workspace-version-update.html)."""

AMAZON_PROMETHEUS = "grafana-amazonprometheus-datasource"
"""The plugin that signs queries of AMP where Grafana itself does not any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrafanaRelease:
    """What Grafana is from a version on.

    `amp_source` is the type of a data source that asks AMP; it is a plugin to install where `amp_plugin`.
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
        note="The core Prometheus data source signs nothing any more; API keys and Angular panels are gone.",
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
        note="Dashboards are turned into schema v2 when they are loaded.",
        sources=("https://docs.aws.amazon.com/grafana/latest/userguide/AMG-workspace-version-update.html",),
    ),
)
"""Oldest first."""


def release_of(version: str) -> GrafanaRelease:
    """What a version is; one that is older than all is taken for the oldest."""
    fitting = [release for release in RELEASES if _numbers(release.since) <= _numbers(version)]
    return fitting[-1] if fitting else RELEASES[0]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
