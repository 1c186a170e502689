"""Keys that EKS and HyperPod on EKS share; the other modules of this folder define their values."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.kubernetes.charts import Charts, PublicCharts
from config.profile.kubernetes.cluster import ControlPlane
from config.profile.kubernetes.components import Components
from config.profile.kubernetes.scheduler import Scheduler, Scheduling

KubernetesVersion = Annotated[
    Literal["1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36"],
    Field(description='Kubernetes version, in quotes: "1.35".'),
]


class Kubernetes(ControlPlane):
    """A Kubernetes control plane of Amazon EKS, with EKS or HyperPod nodes."""

    kubernetes_version: KubernetesVersion = "1.35"
    scheduler: Annotated[
        Scheduler,
        Field(
            description="Scheduler that admits whole jobs, and places each job under as few network switches as "
            "possible."
        ),
    ] = "kueue"
    charts: Charts = PublicCharts.model_construct(kind="public")
    components: Annotated[
        Components,
        Field(description="Device plugins, training frameworks and cluster services."),
    ] = Components.model_construct()
    scheduling: Scheduling = Field(
        default_factory=Scheduling,
        description="Settings of the scheduler: teams, shares, priorities and job placement.",
    )
