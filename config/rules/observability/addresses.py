"""Where metrics are sent and asked for: addresses, signatures, secrets and ports that fit each other."""

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
    "OBS041", ERROR, "requests to a workspace of AMP are signed for its Region",
    why="AMP answers every other request with 403: nothing is kept, and nobody is told.",
    source=f"{_AMP}/AMP-onboard-ingest-metrics-remote-write-EC2.html",
    reads="observability", where="existing-prometheus",
)  # fmt: skip
def amp_is_signed_for(design: Design) -> Iterator[Finding]:
    """The authentication beside an address of AMP."""
    prometheus = _own(design)
    found = amp_address(prometheus.remote_write_url) if prometheus else None
    if prometheus is None or found is None:
        return
    region, authentication = found.region, prometheus.authentication
    if not isinstance(authentication, Sigv4Authentication):
        yield Finding(
            at=(*_AT, "authentication"),
            message=f"{found.base} is a workspace of AMP, which takes signed requests alone",
            hint="write `authentication: {kind: sigv4}`",
        )
    elif authentication.region not in (None, region):
        yield Finding(
            at=(*_AT, "authentication", "region"),
            message=f"requests are signed for {authentication.region}, the workspace is in {region}",
            hint=f"take `region` out, or write `region: {region}`",
        )


@rule(
    "OBS042", ERROR, "addresses of a Prometheus end where its clients go on",
    why="Collectors send to the address as it is, and Grafana puts the path of each question behind its own.",
    source=f"{_AMP}/AMP-onboard-query-APIs.html", reads="observability", where="existing-prometheus",
)  # fmt: skip
def addresses_are_whole(design: Design) -> Iterator[Finding]:
    """The ends of remote_write_url and query_url."""
    prometheus = _own(design)
    if prometheus is None:
        return
    amp = amp_address(prometheus.remote_write_url)
    if amp and not prometheus.remote_write_url.endswith(_WRITE):
        yield Finding(
            at=(*_AT, "remote_write_url"),
            message=f"{prometheus.remote_write_url} is not where AMP takes samples",
            hint=f"write `remote_write_url: {amp.base}{_WRITE}`",
        )
    asked = prometheus.query_url or ""
    if path := _API.search(asked):
        yield Finding(
            at=(*_AT, "query_url"),
            message=f"Grafana would ask {asked.rstrip('/')}/api/v1/query",
            hint=f"write `query_url: {asked[: path.start()]}`",
        )


@rule(
    "OBS043", ERROR, "the password of a Prometheus is a secret of the profile's Region",
    why="Collectors read it in the cluster's Region, in a closed network through that Region's endpoint.",
    source="https://docs.aws.amazon.com/secretsmanager/latest/userguide/replicate-secrets.html",
    reads="region observability", where="existing-prometheus",
)  # fmt: skip
def password_is_in_the_region(design: Design) -> Iterator[Finding]:
    """`authentication.secret_arn`."""
    prometheus = _own(design)
    if prometheus is None or not isinstance(prometheus.authentication, SecretAuthentication):
        return
    region = prometheus.authentication.secret_arn.split(":")[3]
    if region != design.profile.region:
        yield Finding(
            at=(*_AT, "authentication", "secret_arn"),
            message=f"a secret of {region}, the cluster is in {design.profile.region}",
            hint=f"replicate it to {design.profile.region} and name the replica",
        )


@rule(
    "OBS044", ERROR, "the port of a training job's metrics is no exporter's",
    why="Two programs of one node cannot answer at one port: the later one does not start.",
    source="https://github.com/prometheus/prometheus/wiki/Default-port-allocations",
    reads="orchestrator observability", where="collection",
)  # fmt: skip
def port_is_free(design: Design) -> Iterator[Finding]:
    """application_port."""
    wanted = design.profile.observability
    kubernetes = isinstance(design.profile.orchestrator, Kubernetes)
    port = wanted.collection.application_port if wanted else 0
    taken = (_KUBERNETES_PORTS if kubernetes else _SLURM_PORTS).get(port)
    if taken:
        yield Finding(
            at=("observability", "collection", "application_port"),
            message=f"{taken} answers at port {port} of each node that has it",
            hint="take another one, or the key out for 9464",
        )


@rule(
    "OBS045", NOTE, "receivers have something to be told of",
    why="Rules are evaluated where metrics are kept; without a Prometheus there are neither rules, nor alarms, nor topics.",
    source=f"{_AMP}/AMP-alert-manager.html", reads="observability", where="alerts",
)  # fmt: skip
def receivers_have_alerts(design: Design) -> Iterator[Finding]:
    """Alerts that are stated without a Prometheus."""
    wanted = design.profile.observability
    if wanted is None or wanted.prometheus is not None or "alerts" not in wanted.model_fields_set:
        return
    if wanted.alerts.receivers:
        yield Finding(
            at=("observability", "alerts"),
            message="nobody is told of anything: there is no Prometheus, and so no alert and no topic",
            hint="add `prometheus: {kind: managed}`, or take `alerts` out",
        )
