"""The slow steps of a whole design, without a template."""

from __future__ import annotations

from config.design.deployment.network import network_steps
from config.design.deployment.slurm import hyperpod_steps, pcs_steps
from config.design.deployment.steps import Steps
from config.design.deployment.storage import storage_steps
from config.design.deployment.timing import Timed, timed
from config.design.model import Design
from config.profile.observability.metrics import ManagedGrafana


def forecast(design: Design) -> tuple[Steps, tuple[Timed, ...]]:
    """Return the steps, each with its start and end from published durations."""
    steps = Steps()
    network = network_steps(design, steps)
    storage = storage_steps(design, steps, network)
    _observability(design, steps)
    if design.hyperpod:
        hyperpod_steps(design.groups, design.hyperpod, steps, network, storage)
    if design.pcs:
        pcs_steps(design.pcs, steps, network, storage)
    if design.eks:
        # imported only for Kubernetes, so that other plans start faster
        from config.design.deployment.kubernetes import eks_steps, hyperpod_eks_steps

        if design.hyperpod_eks:
            hyperpod_eks_steps(design, design.eks, design.hyperpod_eks, steps, network, storage)
        else:
            eks_steps(design, design.eks, steps, network, storage)
    types = {name: step.type for name, step in steps.found.items()}
    return steps, timed(types, {name: step.after for name, step in steps.found.items()})


def _observability(design: Design, steps: Steps) -> None:
    wanted = design.profile.observability
    grafana = wanted.grafana if wanted else None
    # a workspace in another Region is created by a Lambda function
    if isinstance(grafana, ManagedGrafana) and grafana.region in (None, design.profile.region):
        steps.add("grafana", "AWS::Grafana::Workspace", "Grafana workspace", ())
