"""Helm charts of exporters for a Kubernetes cluster, and their values."""

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
"""Folder in which the node scripts write metrics that no exporter provides."""

EVERYWHERE: tuple[dict[str, str], ...] = ({"operator": "Exists"},)
"""Toleration of all taints, since node exporters must also run on faulty nodes."""

_COLLECTORS = ("cpu", "filesystem", "loadavg", "meminfo", "netdev", "stat", "textfile")
_VIRTUAL = "^(lo|veth.*|eni.*|pod-id.*|dummy.*)$"
_OF_PODS = "^/(dev|proc|run|sys|var/lib/(kubelet|containerd|containers)/.+)($|/)"
"""Folders that contain the mounts of pods, which change with each pod."""

_REMOTE = "^(lustre|nfs4?|fuse.*|autofs|cgroup2?|nsfs|overlay|proc|squashfs|sysfs|tmpfs)$"
"""File system types to skip: remote ones, which can stop the exporter, and those without a disk."""

_TEXTFILES_INSIDE = "/host/textfiles"

DCGM_MEMORY = "2Gi"
"""Memory limit; with the chart's default of 512Mi, half of the pods on nodes with 8 GPUs were killed
(https://github.com/pytorch/ci-infra/issues/1011)."""

DCGM_GO_MEMORY = "1GiB"
"""Memory limit of the Go runtime, which shares the process with DCGM itself."""

_CONTAINER_DEVICES = "/var/run/nvidia-container-devices/all"


def node_exporter(measured: Measured, after: tuple[str, ...]) -> Release:
    """Return the release of node_exporter; it also reads the textfiles of the node scripts if they run."""
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
        # collectors scrape nodes by their own addresses
        "service": {"enabled": False, "port": metrics().exporters["node"].port},
        "tolerations": [*EVERYWHERE],
    }
    return _release("node-exporter", "prometheus-node-exporter", values, after)


def dcgm_exporter(measured: Measured, after: tuple[str, ...], *, types: list[str], dra: bool,
                  bottlerocket: bool) -> Release:  # fmt: skip
    """Return the release of DCGM's exporter; `types` are GPU instance types as in node labels.

    `dra`: pods can get GPUs by resource claims. `bottlerocket`: a container gets only the GPUs that it
    mounts.
    """
    image, _, tag = str(metrics().exporters["dcgm"].image).partition(":")
    port = metrics().exporters["dcgm"].port
    terms = [{"matchExpressions": [{"key": TYPE_LABEL, "operator": "In", "values": types}]}]
    text = counters(measured)
    values = {
        "image": {"repository": image, "tag": tag},
        "customMetrics": text,
        # pods read the file only once, so that a changed file must replace the pods
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
    """Return values that mount all GPUs: https://bottlerocket.dev/en/os/latest/#/api/settings/nvidia-container-runtime/."""
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
    """Return the release of kube-state-metrics with the metrics of nodes and pods in the metric table."""
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
    # the deployment must not fail because a node has no metrics
    return Release(name=name, chart=chart, namespace=NAMESPACE, values=values, after=after, wait=False)
