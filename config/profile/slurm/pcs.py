"""AWS Parallel Computing Service (PCS): what a profile says of its Slurm."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model, Name, Sequence
from config.profile.slurm.settings import NO_SETTINGS, SlurmSettings

LONGEST_IDLE_S = 10_000_000
"""Seconds that a node may be idle before it goes (API_ClusterSlurmConfigurationRequest)."""


class Accounting(Model):
    """Slurm's accounting, which PCS keeps in a database of its own."""

    purge_days: Annotated[
        int | None, Field(ge=1, le=10000, description="Days that records are kept; default: for ever.")
    ] = None


class Queue(Model):
    """A queue of PCS, which is a partition of Slurm."""

    name: Annotated[Name, Field(description="What `sbatch --partition` names: 3 to 25 characters.")]
    groups: Annotated[
        Sequence[Name], Field(max_length=10, description="Compute groups that run its jobs, by name.")
    ]
    settings: Annotated[
        SlurmSettings,
        Field(description="Slurm's settings of the partition: `MaxTime: 1-00:00:00`."),
    ] = NO_SETTINGS


class Pcs(Model):
    """AWS Parallel Computing Service (PCS): Slurm with a managed controller."""

    kind: Literal["pcs"]
    slurm_version: Annotated[
        Literal["24.11", "25.05", "25.11", "26.05"],
        Field(description='Slurm version, in quotes: "25.11".'),
    ] = "25.11"
    size: Annotated[
        Literal["small", "medium", "large"] | None,
        Field(
            description="Nodes and jobs that the controller manages: 32 and 256, 512 and 8,192, or 2,048 and 16,384. "
            "Another size is another cluster. Default: the smallest that holds the nodes of all groups."
        ),
    ] = None
    efa_interface: Annotated[
        Literal["efa", "efa-only"],
        Field(
            description="Kind of the EFA interfaces. efa: as in all of PCS's own examples, an address for each; "
            "efa-only: as EC2 recommends, one address a node. Sources disagree on whether PCS takes efa-only."
        ),
    ] = "efa"
    idle_seconds: Annotated[
        int,
        Field(
            ge=1,
            le=LONGEST_IDLE_S,
            description="Seconds without a job after which nodes of a group with `scaling: dynamic` go.",
        ),
    ] = 600
    accounting: Annotated[
        Accounting | None,
        Field(description="Slurm's accounting, `{}` to keep records for ever; default: none."),
    ] = None
    rest_api: Annotated[
        bool, Field(description="Slurm's REST API, on port 6820 inside the VPC; from Slurm 25.05 on.")
    ] = False
    settings: Annotated[
        SlurmSettings,
        Field(
            description="Slurm's settings of the cluster (slurm.conf) that PCS lets through: `MinJobAge: 300`. "
            "null takes one of ultracluster's own away.",
        ),
    ] = NO_SETTINGS
    accounting_settings: Annotated[
        SlurmSettings,
        Field(description="Settings of slurmdbd.conf; they need `accounting`."),
    ] = NO_SETTINGS
    cgroup_settings: Annotated[SlurmSettings, Field(description="Settings of cgroup.conf.")] = NO_SETTINGS
    queues: Annotated[
        Sequence[Queue] | None,
        Field(
            description="Queues and the groups that run their jobs; default: one for each `partition` of the compute groups."
        ),
    ] = None
