"""Profile keys of cluster components: devices, training frameworks and services."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model, Sequence

Devices = Literal["plugins", "dra"]
TrainingFramework = Literal["trainer", "jobset", "leader-worker-set", "mpi-operator"]

GroupDevices = dict[str, Devices]

NO_GROUPS: GroupDevices = {}
"""Default value of `group_devices`."""


class Components(Model):
    """Cluster components in addition to the scheduler."""

    devices: Annotated[
        Devices | None,
        Field(
            description="How pods request GPUs and EFA. plugins: by number (`nvidia.com/gpu: 8`); dra: by resource "
            "claims (dynamic resource allocation). Default: dra for UltraServers, which require it, "
            "and plugins for other groups."
        ),
    ] = None
    group_devices: Annotated[
        GroupDevices,
        Field(description="Value of `devices` for single groups, by name: `{train: dra}`."),
    ] = NO_GROUPS
    gpu_operator: Annotated[
        bool | None,
        Field(
            description="Install NVIDIA's GPU operator instead of the separate GPU plugin. The operator does not "
            "install the driver and the toolkit, which EKS images include. Default: true with the "
            "scheduler kai, which requires it; otherwise false."
        ),
    ] = None
    training: Annotated[
        Sequence[TrainingFramework],
        Field(
            max_length=4,
            description="Training frameworks. trainer: Kubeflow Trainer, which includes JobSet; mpi-operator has "
            "no published chart, so it requires `charts: {kind: vendored}` or `registry` (on hyperpod-eks "
            "it is part of HyperPod's chart).",
        ),
    ] = ("trainer", "leader-worker-set")
    node_monitoring: Annotated[
        bool,
        Field(
            description="Install EKS's node monitoring agent, whose reports trigger node repair. hyperpod-eks has "
            "HyperPod's own agent."
        ),
    ] = True
    metrics_server: Annotated[
        bool, Field(description="Install the metrics server, which `kubectl top` and pod autoscaling query.")
    ] = True
    cert_manager: Annotated[
        bool,
        Field(
            description="Install cert-manager for your own applications. Under eks, no other component requires it."
        ),
    ] = False
