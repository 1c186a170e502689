"""A cluster profile: what the user says."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from config.profile.base import ACCOUNT, PLAIN, REGION, Model, Name, Sequence, ZoneId, ZoneName
from config.profile.compute import Compute
from config.profile.network import Network
from config.profile.observability import Observability
from config.profile.orchestrator import Orchestrator
from config.profile.storage import Storage
from config.profile.waiver import Waiver


class DataReference(Model):
    """Another profile whose network and storage this cluster uses."""

    profile: Annotated[str, Field(description="Built-in name or path of the data profile.")]


class Workload(Model):
    """What the cluster is for: plan computes advice from it."""

    parameters: Annotated[float, Field(gt=0, le=1e18, description="Parameters of the model: 405e9.")]
    bytes_per_parameter: Annotated[
        float,
        Field(
            gt=0,
            le=1000,
            description="Bytes that a checkpoint holds per parameter; 14 is Adam with fp32 master.",
        ),
    ] = 14


class Profile(Model):
    """One cluster, or one layer of it that others attach to."""

    name: Annotated[Name, Field(description="Name of the profile and of its stack.")]
    description: Annotated[
        str,
        Field(
            pattern=PLAIN,
            max_length=200,
            description="What the cluster is, in a few plain words.",
        ),
    ] = ""
    region: Annotated[str, Field(pattern=REGION, description="AWS Region: us-west-2.")]
    availability_zone: Annotated[
        ZoneName | None,
        Field(description="Zone of nodes and file system, by name (differs from account to account)."),
    ] = None
    availability_zone_id: Annotated[
        ZoneId | None, Field(description="Zone of nodes and file system, by id (the same in every account).")
    ] = None
    account: Annotated[
        str | None,
        Field(
            pattern=ACCOUNT,
            description="Guard: deploying with credentials of another account is refused.",
        ),
    ] = None
    disposable: Annotated[
        bool,
        Field(
            description="True: nothing is retained on delete, and the stack has no termination protection."
        ),
    ] = False
    network: Annotated[Network | None, Field(description="The network; none where `data` brings one.")] = None
    data: Annotated[
        DataReference | None, Field(description="The profile whose network and storage this cluster uses.")
    ] = None
    compute: Annotated[Compute | None, Field(description="The machines.")] = None
    storage: Annotated[Storage | None, Field(description="The file system and the local disks.")] = None
    orchestrator: Annotated[Orchestrator | None, Field(description="The control plane of the machines.")] = (
        None
    )
    observability: Annotated[Observability | None, Field(description="Metrics, dashboards and logs.")] = None
    workload: Annotated[Workload | None, Field(description="What the cluster is for.")] = None
    waive: Annotated[
        Sequence[Waiver],
        Field(max_length=100, description="Findings that this profile accepts, each with its reason."),
    ] = ()

    @property
    def zone(self) -> str:
        """The zone of nodes and file system: its id where stated, else its name; empty when neither is."""
        return self.availability_zone_id or self.availability_zone or ""
