"""Prometheus in agent mode in a Kubernetes cluster, which scrapes exporters and sends the samples.

The agent's credentials are those of its service account (EKS Pod Identity), not the node's: with a hop limit
of 1, a container cannot get the node's credentials (OBS-19).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from config.catalog.observability.metrics import metrics
from config.design.kubernetes.model import IdentityPlan
from config.design.kubernetes.scheduler.placement import Placement
from config.design.kubernetes.steps import Object, later
from config.design.observability.collection import pods
from config.design.observability.collection.scrape import NAMESPACE
from config.design.observability.collection.signing import amp_address, signing_region
from config.profile.observability.metrics import (
    ManagedPrometheus,
    Prometheus,
    SecretAuthentication,
    Sigv4Authentication,
)

NAME = "prometheus-agent"
_PORT = 9090
_SECRETS = "/secrets"

_MIB_OF_A_NODE = 8
_MIB_OF_NONE = 1024

READER_IMAGE = "public.ecr.aws/lambda/python:3.13"
"""Image with Python and boto3, which reads the secret before the agent starts and then repeatedly."""

# the password changes when the secret is rotated, and the agent reads the file for each request
_READER = """
import boto3, json, pathlib, sys, time
client = boto3.client("secretsmanager", region_name=sys.argv[1])
def read():
    secret = json.loads(client.get_secret_value(SecretId=sys.argv[2])["SecretString"])
    for name in ("username", "password"):
        new = pathlib.Path(sys.argv[3], name + ".new")
        new.write_text(secret[name])
        new.replace(new.with_suffix(""))
read()
while True:
    time.sleep(300)
    try:
        read()
    except Exception as error:
        print("cannot read the secret, the last value is kept:", type(error).__name__, flush=True)
""".strip()
_IS_READ = "import pathlib, sys; sys.exit(not pathlib.Path(sys.argv[1], 'password').exists())"


def remote_write(prometheus: Prometheus, region: str) -> dict[str, Any]:
    """Return the remote write configuration: the URL and the authentication."""
    if isinstance(prometheus, ManagedPrometheus):
        url = f"{later('prometheus-endpoint')}api/v1/remote_write"
        return {"url": url, "sigv4": {"region": region}}
    found: dict[str, Any] = {"url": prometheus.remote_write_url}
    authentication = prometheus.authentication
    if isinstance(authentication, Sigv4Authentication):
        found["sigv4"] = {"region": signing_region(prometheus, region)}
    if isinstance(authentication, SecretAuthentication):
        found["basic_auth"] = {
            "username_file": f"{_SECRETS}/username",
            "password_file": f"{_SECRETS}/password",
        }
    return found


def identity(prometheus: Prometheus, partition: str) -> IdentityPlan | None:
    """Return the agent's permissions: send samples to AMP, or read its secret; None if it needs none."""
    statement: dict[str, Any] | None = None
    if isinstance(prometheus, ManagedPrometheus):
        statement = _may_write(later("prometheus-arn"))
    elif isinstance(prometheus.authentication, Sigv4Authentication):
        amp = amp_address(prometheus.remote_write_url)
        statement = _may_write(f"arn:{partition}:aps:*:*:workspace/{amp.workspace_id if amp else '*'}")
    elif isinstance(prometheus.authentication, SecretAuthentication):
        arn = prometheus.authentication.secret_arn
        statement = {"Effect": "Allow", "Action": ["secretsmanager:GetSecretValue"], "Resource": arn}
    if statement is None:
        return None
    return IdentityPlan(name=NAME, namespace=NAMESPACE, service_account=NAME, statements=(statement,))


def _may_write(workspace: str) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": ["aps:RemoteWrite"], "Resource": workspace}


def manifests(
    configuration: Mapping[str, Any],
    prometheus: Prometheus,
    region: str,
    placement: Placement,
    *,
    nodes: int,
) -> tuple[Object, ...]:
    """Return the agent's service account, permissions, configuration and deployment.

    The configuration is written as JSON, which is valid YAML and much faster to write.
    """
    files = {"prometheus.yml": json.dumps(configuration, indent=1)}
    existing = None if isinstance(prometheus, ManagedPrometheus) else prometheus.authentication
    secret = existing.secret_arn if isinstance(existing, SecretAuthentication) else None
    folders: dict[str, dict[str, str]] = {"data": {}}
    if secret is not None:
        folders |= {"secrets": {"medium": "Memory"}, "temporary": {}}
    return (
        pods.service_account(NAME),
        *_rights(),
        pods.config_map(NAME, files),
        pods.deployment(
            NAME,
            placement,
            [_container(nodes, reads_secret=secret is not None)],
            config=files,
            folders=folders,
            init=[_reader(region, secret)] if secret else (),
        ),
    )


def _container(nodes: int, *, reads_secret: bool) -> dict[str, Any]:
    exporter = metrics().exporters["agent"]
    most = _MIB_OF_NONE + _MIB_OF_A_NODE * nodes
    probe = {"httpGet": {"path": "/-/ready", "port": _PORT}, "periodSeconds": 15}
    return pods.container(
        "prometheus",
        str(exporter.image),
        [
            "--agent",
            "--config.file=/etc/prometheus/prometheus.yml",
            "--storage.agent.path=/data",
            f"--web.listen-address=:{_PORT}",
        ],
        port=_PORT,
        cpu="500m",
        memory=(f"{most // 2}Mi", f"{most}Mi"),
        mounts={
            "config": "/etc/prometheus",
            "data": "/data",
            **({"secrets": _SECRETS} if reads_secret else {}),
        },
        readinessProbe=probe,
    )


def _reader(region: str, secret_arn: str) -> dict[str, Any]:
    """Return a sidecar container that reads the secret; the agent starts after the first read.

    https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
    """
    python = "/var/lang/bin/python3"
    return pods.container(
        "credentials",
        READER_IMAGE,
        ["-c", _READER, region, secret_arn, _SECRETS],
        memory=("128Mi", "256Mi"),
        mounts={"secrets": _SECRETS, "temporary": "/tmp"},
        command=[python],
        env=[{"name": "PYTHONPATH", "value": "/var/runtime"}],
        restartPolicy="Always",
        startupProbe={
            "exec": {"command": [python, "-c", _IS_READ, _SECRETS]},
            "periodSeconds": 5,
            "failureThreshold": 60,
        },
    )


def _rights() -> tuple[Object, ...]:
    """Return permissions to find nodes and pods, and to read Kueue's metrics, which need authorization."""
    rules = [
        {"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": ["get", "list", "watch"]},
        {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
    ]
    api, name = "rbac.authorization.k8s.io", f"ultracluster-{NAME}"
    meta = pods.metadata(name, namespaced=False)
    subject = {"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}
    return (
        {"apiVersion": f"{api}/v1", "kind": "ClusterRole", "metadata": meta, "rules": rules},
        {
            "apiVersion": f"{api}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": meta,
            "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": name},
            "subjects": [subject],
        },
    )
