"""Content that is loaded into Grafana: data sources with fixed UIDs, a folder and dashboards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from config.design.observability.collection.signing import signing_region
from config.design.observability.dashboards import DataSources, Places, plan_dashboards
from config.design.observability.grafana import GRAFANA_VERSION, release_of
from config.design.observability.model import Measured
from config.profile.observability.metrics import (
    ExistingGrafana,
    ExistingPrometheus,
    Grafana,
    ManagedGrafana,
    ManagedPrometheus,
    Observability,
    SecretAuthentication,
    Sigv4Authentication,
)

Json = dict[str, Any]

# the loader function replaces these placeholders by values that only the deployment knows, and by secrets
PROMETHEUS, USERNAME, PASSWORD = "@PROMETHEUS@", "@USERNAME@", "@PASSWORD@"
MARK = "ultracluster"
"""Key in the settings of a data source; the value is the owner of the data source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrafanaContent:
    """Input of the loader function.

    `body`: content of the function's file. `prometheus_url`: None if the stack creates the AMP workspace,
    whose URL is known only at deployment. `secret_arn`: secret with user name and password; None if
    Prometheus needs none.
    """

    body: Mapping[str, Any] = field(hash=False)
    prometheus_url: str | None
    secret_arn: str | None


def version_of(grafana: Grafana) -> str:
    """Return the Grafana version that the type of the data sources depends on."""
    return grafana.version or GRAFANA_VERSION


def places_of(observability: Observability, cluster: str) -> Places:
    """Return short UIDs for a dedicated workspace; in a shared Grafana, UIDs contain the cluster's name."""
    grafana = observability.grafana
    assert grafana is not None
    amp = _is_amp(observability)
    kind = release_of(version_of(grafana)).amp_source if amp else "prometheus"
    if isinstance(grafana, ExistingGrafana):
        return Places.shared(cluster, kind)
    return Places(sources=DataSources(prometheus_type=kind))


def plan_content(observability: Observability, measured: Measured, *, region: str) -> GrafanaContent | None:
    """Return the content; None if there is no Grafana, or no Prometheus that it can query."""
    grafana, prometheus = observability.grafana, observability.prometheus
    if grafana is None or prometheus is None:
        return None
    if isinstance(prometheus, ExistingPrometheus) and prometheus.query_url is None:
        return None
    places = places_of(observability, measured.cluster)
    managed = isinstance(grafana, ManagedGrafana)
    plugin = _is_amp(observability) and release_of(version_of(grafana)).amp_plugin
    body = {
        "prefix": places.prefix,
        "folder": {"uid": places.prefix, "title": f"Cluster {measured.cluster}"},
        "configuration": _CONFIGURATION if managed else {},
        "plugins": [places.sources.prometheus_type] if plugin else [],
        "data_sources": _sources(observability, places, measured, region),
        "dashboards": [dict(dashboard.body) for dashboard in plan_dashboards(measured, places)],
    }
    if isinstance(prometheus, ManagedPrometheus):
        return GrafanaContent(body=body, prometheus_url=None, secret_arn=None)
    authentication = prometheus.authentication
    secret = authentication.secret_arn if isinstance(authentication, SecretAuthentication) else None
    return GrafanaContent(body=body, prometheus_url=prometheus.query_url, secret_arn=secret)


# settings for which CloudFormation has no property (OBS-09)
_CONFIGURATION = {"unifiedAlerting": {"enabled": True}, "plugins": {"pluginAdminEnabled": True}}


def _is_amp(observability: Observability) -> bool:
    """Return whether queries are signed."""
    prometheus = observability.prometheus
    if isinstance(prometheus, ExistingPrometheus):
        return isinstance(prometheus.authentication, Sigv4Authentication)
    return prometheus is not None


def _sources(observability: Observability, places: Places, measured: Measured, region: str) -> list[Json]:
    managed = isinstance(observability.grafana, ManagedGrafana)
    # the role of the workspace, or the AWS credentials of another Grafana
    signer = "ec2_iam_role" if managed else "default"
    mark = {MARK: places.prefix}
    here = {"access": "proxy", "basicAuth": False, "isDefault": False}
    metrics: Json = {
        **here,
        "uid": places.sources.prometheus,
        "name": f"{places.prefix} metrics",
        "type": places.sources.prometheus_type,
        "url": PROMETHEUS,
        "isDefault": managed,
        "jsonData": {"httpMethod": "POST", "timeInterval": f"{measured.interval_s}s", **mark},
    }
    metrics = _authenticated(metrics, observability, signer, region)
    cloudwatch = {
        **here,
        "uid": places.sources.cloudwatch,
        "name": f"{places.prefix} CloudWatch",
        "type": "cloudwatch",
        "jsonData": {"authType": signer, "defaultRegion": region, **mark},
    }
    if not isinstance(observability.prometheus, ManagedPrometheus):
        return [metrics, cloudwatch]
    metrics["jsonData"] |= {"manageAlerts": True, "alertmanagerUid": places.sources.alertmanager}
    # https://docs.aws.amazon.com/grafana/latest/userguide/amp-configure-alerts.html
    alerts = {
        **here,
        "uid": places.sources.alertmanager,
        "name": f"{places.prefix} alerts",
        "type": "alertmanager",
        "url": f"{PROMETHEUS}/alertmanager",
        "jsonData": {
            "implementation": "prometheus",
            "handleGrafanaManagedAlerts": False,
            **_signed(signer, region),
            **mark,
        },
    }
    return [metrics, alerts, cloudwatch]


def _signed(signer: str, region: str) -> Json:
    return {"sigV4Auth": True, "sigV4AuthType": signer, "sigV4Region": region}


def _authenticated(source: Json, observability: Observability, signer: str, region: str) -> Json:
    """Return the metrics data source with the authentication that its Prometheus requires."""
    prometheus = observability.prometheus
    if isinstance(prometheus, ExistingPrometheus):
        authentication = prometheus.authentication
        if isinstance(authentication, SecretAuthentication):
            secret = {"basicAuthPassword": PASSWORD}
            return source | {"basicAuth": True, "basicAuthUser": USERNAME, "secureJsonData": secret}
        if not isinstance(authentication, Sigv4Authentication):
            return source
        region = signing_region(prometheus, region)
    return source | {"jsonData": source["jsonData"] | _signed(signer, region)}
