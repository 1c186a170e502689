"""What runs in the cluster beside the scheduler: devices, training frameworks, and services of the cluster."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model, Sequence

Devices = Literal["plugins", "dra"]
TrainingFramework = Literal["trainer", "jobset", "leader-worker-set", "mpi-operator"]

GroupDevices = dict[str, Devices]

NO_GROUPS: GroupDevices = {}
"""Every group is as the cluster."""


class Components(Model):
    """What runs in the cluster beside the scheduler."""

    devices: Annotated[
        Devices | None,
        Field(
            description="How pods ask for GPUs and EFA. plugins: by number (`nvidia.com/gpu: 8`); dra: by claims (dynamic "
            "resource allocation). Default: dra for UltraServers, which want it, plugins for the rest."
        ),
    ] = None
    group_devices: Annotated[
        GroupDevices,
        Field(description="The same for single groups, by name: `{train: dra}`."),
    ] = NO_GROUPS
    gpu_operator: Annotated[
        bool | None,
        Field(
            description="NVIDIA's GPU operator in the place of the single GPU plugin, without driver and toolkit, which "
            "the images of EKS have. Default: only with the scheduler kai, which builds on it."
        ),
    ] = None
    training: Annotated[
        Sequence[TrainingFramework],
        Field(
            max_length=4,
            description="Frameworks of jobs. trainer: Kubeflow Trainer, which brings JobSet; mpi-operator has no chart: it "
            "comes from the vendored charts (hyperpod-eks has it from HyperPod's chart).",
        ),
    ] = ("trainer", "leader-worker-set")
    node_monitoring: Annotated[
        bool,
        Field(
            description="EKS's agent that finds faulty nodes, which node repair goes by; hyperpod-eks has HyperPod's own."
        ),
    ] = True
    metrics_server: Annotated[
        bool, Field(description="Metrics server: what `kubectl top` and autoscaling of pods read.")
    ] = True
    cert_manager: Annotated[
        bool,
        Field(description="cert-manager, for what you install yourself: nothing here needs it under eks."),
    ] = False
