"""The charts that bring exporters into a Kubernetes cluster, and their values."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from config.catalog.observability.metrics import metrics
from config.design.kubernetes.device_charts import TYPE_LABEL
from config.design.kubernetes.scheduler.placement import Placement
from config.design.kubernetes.steps import Release
from config.design.observability.collection.counters import counters
from config.design.observability.collection.scrape import NAMESPACE
from config.design.observability.model import Measured
from config.design.observability.names import measured_metrics

TEXTFILES = "/var/lib/node_exporter/textfile_collector"
"""Where our scripts on nodes write what no exporter shows."""

EVERYWHERE: tuple[dict[str, str], ...] = ({"operator": "Exists"},)
"""Exporters of nodes run on all of them, also where a taint keeps others off: on faulty nodes above all."""

_COLLECTORS = ("cpu", "filesystem", "loadavg", "meminfo", "netdev", "stat", "textfile")
_VIRTUAL = "^(lo|veth.*|eni.*|pod-id.*|dummy.*)$"
_OF_PODS = "^/(dev|proc|run|sys|var/lib/(kubelet|containerd|containers)/.+)($|/)"
"""Every pod has mounts of its own there, which come and go."""

_REMOTE = "^(lustre|nfs4?|fuse.*|autofs|cgroup2?|nsfs|overlay|proc|squashfs|sysfs|tmpfs)$"
"""A remote file system that does not answer would hold the exporter up; the others have no disk."""

_TEXTFILES_INSIDE = "/host/textfiles"

DCGM_MEMORY = "2Gi"
"""The chart's own 512Mi ended half of the pods on machines with 8 GPUs
(https://github.com/pytorch/ci-infra/issues/1011)."""

DCGM_GO_MEMORY = "1GiB"
"""What Go may take of it: DCGM itself is in the same process."""

_CONTAINER_DEVICES = "/var/run/nvidia-container-devices/all"


def node_exporter(measured: Measured, after: tuple[str, ...]) -> Release:
    """The exporter of nodes, with the textfiles of our scripts where those run."""
    mount = {
        "name": "textfiles",
        "hostPath": TEXTFILES,
        "mountPath": _TEXTFILES_INSIDE,
        "type": "DirectoryOrCreate",
        "readOnly": True,
        "mountPropagation": "HostToContainer",
    }
    collectors = [name for name in _COLLECTORS if measured.scripts or name != "textfile"]
    textfiles = [f"--collector.textfile.directory={_TEXTFILES_INSIDE}"] if measured.scripts else []
    values = {
        "extraArgs": [
            "--collector.disable-defaults",
            *(f"--collector.{name}" for name in collectors),
            f"--collector.filesystem.fs-types-exclude={_REMOTE}",
            f"--collector.filesystem.mount-points-exclude={_OF_PODS}",
            f"--collector.netdev.device-exclude={_VIRTUAL}",
            *textfiles,
        ],
        "extraHostVolumeMounts": [mount] if measured.scripts else [],
        "priorityClassName": "system-node-critical",
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        # nodes are asked by their own addresses
        "service": {"enabled": False, "port": metrics().exporters["node"].port},
        "tolerations": [*EVERYWHERE],
    }
    return _release("node-exporter", "prometheus-node-exporter", values, after)


def dcgm_exporter(measured: Measured, after: tuple[str, ...], *, types: list[str], dra: bool,
                  bottlerocket: bool) -> Release:  # fmt: skip
    """DCGM's exporter on GPU nodes; `types` are those nodes' types as their labels have them.

    `dra`: pods may have their GPUs by claims. `bottlerocket`: there a container is given GPUs that it mounts,
    and no others.
    """
    image, _, tag = str(metrics().exporters["dcgm"].image).partition(":")
    port = metrics().exporters["dcgm"].port
    terms = [{"matchExpressions": [{"key": TYPE_LABEL, "operator": "In", "values": types}]}]
    text = counters(measured)
    values = {
        "image": {"repository": image, "tag": tag},
        "customMetrics": text,
        # pods read the file once: another file is other pods
        "podAnnotations": {"ultracluster/counters": sha256(text.encode()).hexdigest()[:16]},
        "affinity": {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        },
        "tolerations": [*EVERYWHERE],
        "hostNetwork": True,
        "service": {"enable": False, "port": port, "address": f":{port}"},
        "serviceMonitor": {"enabled": False},
        "kubernetesDRA": {"enabled": dra},
        "securityContext": {
            "runAsNonRoot": False,
            "runAsUser": 0,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"], "add": ["SYS_ADMIN"] if measured.profiling else []},
        },
        "resources": {
            "requests": {"cpu": "100m", "memory": "512Mi"},
            "limits": {"cpu": "1", "memory": DCGM_MEMORY},
        },
        "extraEnv": [
            {"name": "GOMEMLIMIT", "value": DCGM_GO_MEMORY},
            {"name": "DCGM_EXPORTER_INTERVAL", "value": str(measured.interval_s * 1000)},
        ],
        **(_of_bottlerocket() if bottlerocket else {}),
    }
    return _release("dcgm-exporter", "dcgm-exporter", values, after)


def _of_bottlerocket() -> dict[str, Any]:
    """All GPUs, as a mount: https://bottlerocket.dev/en/os/latest/#/api/settings/nvidia-container-runtime/."""
    counters_mount = {
        "name": "exporter-metrics-volume",
        "mountPath": "/etc/dcgm-exporter/default-counters.csv",
        "subPath": "default-counters.csv",
    }
    return {
        "extraHostVolumes": [{"name": "all-gpus", "hostPath": "/dev/null"}],
        "extraVolumeMounts": [counters_mount, {"name": "all-gpus", "mountPath": _CONTAINER_DEVICES}],
    }


def kube_state_metrics(measured: Measured, placement: Placement, after: tuple[str, ...]) -> Release:
    """The exporter of what Kubernetes knows: pods and nodes, and of them what the table has."""
    rows = (row for row in measured_metrics(measured) if row.exporter == "kube-state")
    values = {
        "collectors": ["nodes", "pods"],
        "metricAllowlist": sorted(row.name for row in rows),
        "nodeSelector": placement.node_selector,
        "prometheusScrape": False,
        "replicas": 1,
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
        "tolerations": placement.tolerations,
    }
    return _release("kube-state-metrics", "kube-state-metrics", values, after)


def _release(name: str, chart: str, values: dict[str, Any], after: tuple[str, ...]) -> Release:
    # whether a node shows its metrics must not decide whether a cluster is deployed
    return Release(name=name, chart=chart, namespace=NAMESPACE, values=values, after=after, wait=False)
