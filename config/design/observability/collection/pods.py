"""Kubernetes objects that collectors and exporters share: pods, accounts and config maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from config.design.kubernetes.scheduler.placement import Placement
from config.design.kubernetes.steps import Object
from config.design.observability.collection.scrape import NAMESPACE

_NOBODY = 65534
_CONFIG = "config"


def metadata(name: str, *, namespaced: bool = True, **more: Any) -> dict[str, Any]:
    """Return the name and labels of an object."""
    labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "ultracluster"}
    return {"name": name, **({"namespace": NAMESPACE} if namespaced else {}), "labels": labels, **more}


def service_account(name: str) -> Object:
    """Return the service account of the pods."""
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata(name)}


def config_map(name: str, files: Mapping[str, str]) -> Object:
    """Return the config map with the files that the pods read."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(name), "data": dict(files)}


def container(
    name: str,
    image: str,
    arguments: Sequence[str],
    *,
    port: int | None = None,
    memory: tuple[str, str] = ("64Mi", "256Mi"),
    cpu: str = "50m",
    mounts: Mapping[str, str],
    **more: Any,
) -> dict[str, Any]:
    """Return a container without privileges that writes only to its volumes; `mounts` are paths by volume."""
    least, most = memory
    return {
        "name": name,
        "image": image,
        "args": [*arguments],
        **({"ports": [{"name": "metrics", "containerPort": port}]} if port else {}),
        "resources": {"requests": {"cpu": cpu, "memory": least}, "limits": {"memory": most}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [{"name": volume, "mountPath": path} for volume, path in mounts.items()],
        **more,
    }


def deployment(
    name: str,
    placement: Placement,
    containers: Sequence[Mapping[str, Any]],
    *,
    config: Mapping[str, str],
    folders: Mapping[str, Mapping[str, str]] | None = None,
    init: Sequence[Mapping[str, Any]] = (),
) -> Object:
    """Return a deployment that never runs two pods, because two pods would send each sample twice (OBS-20).

    `config`: files of its ConfigMap; a changed file replaces the pod. `folders`: empty volumes and their
    settings.
    """
    digest = sha256("\n".join(f"{file}\n{text}" for file, text in sorted(config.items())).encode())
    meta = metadata(name)
    pod = {
        "serviceAccountName": name,
        "nodeSelector": placement.node_selector,
        "tolerations": placement.tolerations,
        "priorityClassName": "system-cluster-critical",
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _NOBODY,
            "runAsGroup": _NOBODY,
            "fsGroup": _NOBODY,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        **({"initContainers": [*init]} if init else {}),
        "containers": [*containers],
        "volumes": [
            {"name": _CONFIG, "configMap": {"name": name}},
            *({"name": folder, "emptyDir": {**how}} for folder, how in (folders or {}).items()),
        ],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": meta,
        "spec": {
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": {"app.kubernetes.io/name": name}},
            "template": {
                "metadata": {
                    "labels": meta["labels"],
                    "annotations": {"ultracluster/config": digest.hexdigest()[:16]},
                },
                "spec": pod,
            },
        },
    }
