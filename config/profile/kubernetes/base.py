"""What both Kubernetes control planes share: each concern in a module of its own beside this one."""

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
    """A Kubernetes control plane of Amazon EKS, whoever runs its nodes."""

    kubernetes_version: KubernetesVersion = "1.35"
    scheduler: Annotated[
        Scheduler,
        Field(description="Who admits jobs whole and places them under as few switches as possible."),
    ] = "kueue"
    charts: Charts = PublicCharts.model_construct(kind="public")
    components: Annotated[
        Components,
        Field(description="Owners of devices, storage drivers and training frameworks."),
    ] = Components.model_construct()
    scheduling: Scheduling = Field(
        default_factory=Scheduling,
        description="Teams and their shares, priorities, and where jobs are placed.",
    )
