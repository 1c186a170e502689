"""A cluster profile: what the user says."""

from typing import Annotated

from pydantic import Field

from config.profile.access.cluster import ClusterAccess
from config.profile.base import ACCOUNT, PLAIN, REGION, Environment, Model, Name, Sequence, ZoneId, ZoneName
from config.profile.capacity.calendar import Calendar
from config.profile.capacity.groups import Compute
from config.profile.deployment import StackDeployment
from config.profile.images import Images
from config.profile.money.budget import Budget
from config.profile.money.tags import MOST_TAGS, NO_TAGS, Tags
from config.profile.network import Network
from config.profile.observability.metrics import Observability
from config.profile.orchestrator import Orchestrator
from config.profile.storage.tiers import Storage
from config.profile.waiver import Waiver
from config.profile.workload import Workload


class DataReference(Model):
    """Another profile whose network and storage this cluster uses."""

    profile: Annotated[str, Field(description="Built-in name or path of the data profile.")]
    other_efa_connections: Annotated[
        int | None,
        Field(
            ge=0,
            description="EFA connections that other clusters open to each of its file systems, which take 1024; "
            "0: no other cluster does.",
        ),
    ] = None


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
    environment: Annotated[
        Environment | None,
        Field(
            description="One word, such as prod: the stack and everything in it is called `NAME-env-WORD`, so that "
            "the same profile stands in several environments of one account."
        ),
    ] = None
    deployment: Annotated[
        StackDeployment | None,
        Field(description="What the account asks of deployments: permissions boundary, bootstrap qualifier."),
    ] = None
    disposable: Annotated[
        bool,
        Field(
            description="True: nothing is retained on delete, and the stack has no termination protection."
        ),
    ] = False
    tags: Annotated[
        Tags,
        Field(
            max_length=MOST_TAGS,
            description="Tags of every resource, node and volume, beside `ultracluster:profile`: {owner: pretraining}.",
        ),
    ] = NO_TAGS
    network: Annotated[Network | None, Field(description="The network; none where `data` brings one.")] = None
    data: Annotated[
        DataReference | None, Field(description="The profile whose network and storage this cluster uses.")
    ] = None
    compute: Annotated[Compute | None, Field(description="Node groups of the cluster.")] = None
    storage: Annotated[Storage | None, Field(description="The file system and the local disks.")] = None
    orchestrator: Annotated[Orchestrator | None, Field(description="Control plane of the cluster.")] = None
    observability: Annotated[Observability | None, Field(description="Metrics, dashboards and logs.")] = None
    access: Annotated[
        ClusterAccess | None, Field(description="Who works on it, and how they get to its nodes.")
    ] = None
    images: Annotated[
        Images | None, Field(description="Container images: repositories of its own, and caches of others.")
    ] = None
    workload: Annotated[Workload | None, Field(description="What the cluster is for.")] = None
    budget: Annotated[Budget | None, Field(description="What a month may cost, and who is told.")] = None
    calendar: Annotated[
        Calendar | None, Field(description="Actions before reserved nodes are terminated; default: none.")
    ] = None
    waive: Annotated[
        Sequence[Waiver],
        Field(max_length=100, description="Findings that this profile accepts, each with its reason."),
    ] = ()

    @property
    def zone(self) -> str:
        """The zone of nodes and file system: its id where stated, else its name; empty when neither is."""
        return self.availability_zone_id or self.availability_zone or ""
