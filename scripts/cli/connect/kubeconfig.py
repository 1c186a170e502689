"""kubectl configuration for a cluster, in a separate context."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from config.design.model import Design
from scripts.cli.connect.errors import ConnectError
from scripts.cli.connect.place import Place, asking


def kubeconfig_command(design: Design, place: Place, context: str | None) -> list[str]:
    """Return the AWS CLI command that adds the context.

    Raises ConnectError if a context with this name belongs to another cluster.
    """
    if design.eks is None:
        kind = design.profile.orchestrator.kind if design.profile.orchestrator else "null"
        message = f"the control plane is {kind}, but kubectl requires eks or hyperpod-eks"
        raise ConnectError(message, "remove `--kubeconfig`")
    name, alias = design.eks.cluster_name, context or design.profile.name
    with asking(place.region):
        arn = place.client("eks").describe_cluster(name=name)["cluster"]["arn"]
    other = _cluster_of(alias)
    if other not in (None, arn):
        raise ConnectError(
            f"the kubectl context {alias} already belongs to {other}", "set another name: `--context OTHER`"
        )
    return ["aws", "eks", "update-kubeconfig", "--region", place.region, "--name", name, "--alias", alias]


def api_host(design: Design, place: Place) -> str:
    """Return the host of the Kubernetes API."""
    assert design.eks is not None
    with asking(place.region):
        cluster = place.client("eks").describe_cluster(name=design.eks.cluster_name)["cluster"]
    return str(cluster["endpoint"]).removeprefix("https://").partition("/")[0]


def is_private(design: Design) -> bool:
    """Return whether the API is reachable only inside the VPC."""
    return design.eks is not None and design.eks.control_plane.public_cidrs is None


def _cluster_of(alias: str) -> str | None:
    """Return the cluster of a context with this name; None if there is no such context."""
    declared = os.environ.get("KUBECONFIG", "")
    files = [Path(part) for part in declared.split(os.pathsep) if part] or [
        Path("~/.kube/config").expanduser()
    ]
    for file in files:
        try:
            data: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError):
            continue
        contexts = data.get("contexts") if isinstance(data, dict) else None
        for one in contexts if isinstance(contexts, list) else ():
            if isinstance(one, dict) and one.get("name") == alias and isinstance(one.get("context"), dict):
                return str(one["context"].get("cluster"))
    return None
