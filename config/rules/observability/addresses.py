"""Rules for the addresses, signatures, secrets and ports of metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.design.model import Design
from config.design.observability.collection.signing import amp_address
from config.diagnostics import Path
from config.profile.kubernetes.base import Kubernetes
from config.profile.observability.metrics import ExistingPrometheus, SecretAuthentication, Sigv4Authentication
from config.rules.registry import ERROR, NOTE, Finding, rule

_AMP = "https://docs.aws.amazon.com/prometheus/latest/userguide"
_AT: Path = ("observability", "prometheus")
_WRITE = "/api/v1/remote_write"
_API = re.compile(r"/api/v1(/query(_range)?|/write|/remote_write|/push)?/?$")
_KUBERNETES_PORTS = {9100: "node_exporter", 9400: "DCGM's exporter"}
_SLURM_PORTS = {**_KUBERNETES_PORTS, 9341: "Slurm's exporter", 5000: "FSx's exporter", 9095: "the agent"}


def _own(design: Design) -> ExistingPrometheus | None:
    wanted = design.profile.observability
    prometheus = wanted.prometheus if wanted else None
    return prometheus if isinstance(prometheus, ExistingPrometheus) else None


@rule(
    "OBS041", ERROR, "requests to an AMP workspace are signed for its Region",
    why="AMP rejects a request with status 403 if it is not signed for the workspace's Region. Metrics are then not stored, and alerts do not fire.",
    source=f"{_AMP}/AMP-onboard-ingest-metrics-remote-write-EC2.html",
    reads="observability", where="existing-prometheus",
)  # fmt: skip
def amp_is_signed_for(design: Design) -> Iterator[Finding]:
    """Check the authentication of an AMP address."""
    prometheus = _own(design)
    found = amp_address(prometheus.remote_write_url) if prometheus else None
    if prometheus is None or found is None:
        return
    region, authentication = found.region, prometheus.authentication
    if not isinstance(authentication, Sigv4Authentication):
        yield Finding(
            at=(*_AT, "authentication"),
            message=f"{found.base} is an AMP workspace and accepts only signed requests, but `authentication` is not sigv4",
            hint="set `authentication: {kind: sigv4}`",
        )
    elif authentication.region not in (None, region):
        yield Finding(
            at=(*_AT, "authentication", "region"),
            message=f"requests are signed for {authentication.region}, but the workspace is in {region}",
            hint=f"remove `region`, or set `region: {region}`",
        )


@rule(
    "OBS042", ERROR, "the addresses of a Prometheus have the path that its clients expect",
    why="Collectors send to `remote_write_url` unchanged. Grafana appends the path of each query to `query_url`.",
    source=f"{_AMP}/AMP-onboard-query-APIs.html", reads="observability", where="existing-prometheus",
)  # fmt: skip
def addresses_are_complete(design: Design) -> Iterator[Finding]:
    """Check the paths of remote_write_url and query_url."""
    prometheus = _own(design)
    if prometheus is None:
        return
    amp = amp_address(prometheus.remote_write_url)
    if amp and not prometheus.remote_write_url.endswith(_WRITE):
        yield Finding(
            at=(*_AT, "remote_write_url"),
            message=f"{prometheus.remote_write_url} is not the address to which an AMP workspace accepts samples (remote write)",
            hint=f"set `remote_write_url: {amp.base}{_WRITE}`",
        )
    asked = prometheus.query_url or ""
    if path := _API.search(asked):
        yield Finding(
            at=(*_AT, "query_url"),
            message=f"`query_url` includes the path of a query, so Grafana would send queries to {asked.rstrip('/')}/api/v1/query",
            hint=f"set `query_url: {asked[: path.start()]}`",
        )


@rule(
    "OBS043", ERROR, "the secret with the password of a Prometheus is in the profile's Region",
    why="Collectors read the secret in the cluster's Region. A closed network has an endpoint for that Region only.",
    source="https://docs.aws.amazon.com/secretsmanager/latest/userguide/replicate-secrets.html",
    reads="region observability", where="existing-prometheus",
)  # fmt: skip
def password_is_in_the_region(design: Design) -> Iterator[Finding]:
    """Check the Region of `authentication.secret_arn`."""
    prometheus = _own(design)
    if prometheus is None or not isinstance(prometheus.authentication, SecretAuthentication):
        return
    region = prometheus.authentication.secret_arn.split(":")[3]
    if region != design.profile.region:
        yield Finding(
            at=(*_AT, "authentication", "secret_arn"),
            message=f"the secret is in {region}, but the cluster is in {design.profile.region}",
            hint=f"replicate the secret to {design.profile.region} and set `secret_arn` to the replica",
        )


@rule(
    "OBS044", ERROR, "the port for a training job's metrics is not used by an exporter",
    why="Two programs on one node cannot listen on the same port. The second program fails to start.",
    source="https://github.com/prometheus/prometheus/wiki/Default-port-allocations",
    reads="orchestrator observability", where="collection",
)  # fmt: skip
def port_is_free(design: Design) -> Iterator[Finding]:
    """Check `application_port`."""
    wanted = design.profile.observability
    kubernetes = isinstance(design.profile.orchestrator, Kubernetes)
    port = wanted.collection.application_port if wanted else 0
    taken = (_KUBERNETES_PORTS if kubernetes else _SLURM_PORTS).get(port)
    if taken:
        yield Finding(
            at=("observability", "collection", "application_port"),
            message=f"{taken} already listens on port {port} of the nodes",
            hint="set `application_port` to another port, or remove `application_port` to use port 9464",
        )


@rule(
    "OBS045", NOTE, "a profile with alert receivers has a Prometheus",
    why="Prometheus evaluates the alert rules. Without a Prometheus, the stack creates no rules, alarms or topics.",
    source=f"{_AMP}/AMP-alert-manager.html", reads="observability", where="alerts",
)  # fmt: skip
def receivers_have_alerts(design: Design) -> Iterator[Finding]:
    """Check that a profile with receivers has a Prometheus."""
    wanted = design.profile.observability
    if wanted is None or wanted.prometheus is not None or "alerts" not in wanted.model_fields_set:
        return
    if wanted.alerts.receivers:
        yield Finding(
            at=("observability", "alerts"),
            message="the receivers are not notified: without `prometheus` there are no alerts and no topic",
            hint="add `prometheus: {kind: managed}`, or remove `alerts`",
        )
