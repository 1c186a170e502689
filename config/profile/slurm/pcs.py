"""Profile section of AWS Parallel Computing Service (PCS)."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model, Name, Sequence
from config.profile.slurm.settings import NO_SETTINGS, SlurmSettings

LONGEST_IDLE_S = 10_000_000
"""Seconds before PCS terminates an idle node (API_ClusterSlurmConfigurationRequest)."""


class Accounting(Model):
    """Slurm accounting, which PCS stores in its own database."""

    purge_days: Annotated[
        int | None, Field(ge=1, le=10000, description="Days to retain the records; default: no limit.")
    ] = None


class Queue(Model):
    """A PCS queue, which is a Slurm partition."""

    name: Annotated[Name, Field(description="Name for `sbatch --partition`: 3 to 25 characters.")]
    groups: Annotated[
        Sequence[Name], Field(max_length=10, description="Names of the compute groups that run its jobs.")
    ]
    settings: Annotated[
        SlurmSettings,
        Field(description="Slurm settings of the partition, for example `MaxTime: 1-00:00:00`."),
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
            description="Size of the controller, by nodes and jobs: small 32 and 256, medium 512 and 8,192, large 2,048 and 16,384. "
            "A change replaces the cluster. Default: the smallest size for the nodes of all groups."
        ),
    ] = None
    efa_interface: Annotated[
        Literal["efa", "efa-only"],
        Field(
            description="Type of the EFA interfaces. efa: each has an IP address, as in all PCS examples; efa-only: one IP address "
            "per node, as EC2 recommends. AWS's sources disagree on whether PCS accepts efa-only."
        ),
    ] = "efa"
    idle_seconds: Annotated[
        int,
        Field(
            ge=1,
            le=LONGEST_IDLE_S,
            description="Seconds without a job before PCS terminates nodes of groups with `scaling: dynamic`.",
        ),
    ] = 600
    accounting: Annotated[
        Accounting | None,
        Field(description="Slurm accounting; default: no accounting. `{}` retains records without a limit."),
    ] = None
    rest_api: Annotated[
        bool, Field(description="Slurm REST API on port 6820 in the VPC; requires Slurm 25.05 or newer.")
    ] = False
    settings: Annotated[
        SlurmSettings,
        Field(
            description="Slurm settings of the cluster (slurm.conf) that PCS supports, for example `MinJobAge: 300`. "
            "null removes a default of ultracluster.",
        ),
    ] = NO_SETTINGS
    accounting_settings: Annotated[
        SlurmSettings,
        Field(description="Settings of slurmdbd.conf; they require `accounting`."),
    ] = NO_SETTINGS
    cgroup_settings: Annotated[SlurmSettings, Field(description="Settings of cgroup.conf.")] = NO_SETTINGS
    queues: Annotated[
        Sequence[Queue] | None,
        Field(
            description="Queues and the compute groups that run their jobs; default: one queue for each `partition`."
        ),
    ] = None
