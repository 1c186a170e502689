"""The model of a cluster profile."""

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

    profile: Annotated[str, Field(description="Name of a built-in data profile, or the path of one.")]
    other_efa_connections: Annotated[
        int | None,
        Field(
            ge=0,
            description="EFA connections that other clusters open to each of its file systems, which accept 1024. "
            "0: other clusters do not use EFA to them.",
        ),
    ] = None


class Profile(Model):
    """A cluster, or a network and storage layer that other clusters use."""

    name: Annotated[Name, Field(description="Name of the profile and of its stack.")]
    description: Annotated[
        str,
        Field(
            pattern=PLAIN,
            max_length=200,
            description="Short description of the cluster.",
        ),
    ] = ""
    region: Annotated[str, Field(pattern=REGION, description="AWS Region, such as us-west-2.")]
    availability_zone: Annotated[
        ZoneName | None,
        Field(
            description="Availability Zone of nodes and file system, by name, which differs between accounts."
        ),
    ] = None
    availability_zone_id: Annotated[
        ZoneId | None,
        Field(
            description="Availability Zone of nodes and file system, by ID, which is the same in every account."
        ),
    ] = None
    account: Annotated[
        str | None,
        Field(
            pattern=ACCOUNT,
            description="AWS account number. Deploying with credentials of another account is an error.",
        ),
    ] = None
    environment: Annotated[
        Environment | None,
        Field(
            description="Environment, such as prod. The stack and its resources are named `NAME-env-WORD`, "
            "so that the same profile can be deployed to several environments of one account."
        ),
    ] = None
    deployment: Annotated[
        StackDeployment | None,
        Field(description="Requirements of the AWS account: permissions boundary and bootstrap qualifier."),
    ] = None
    disposable: Annotated[
        bool,
        Field(
            description="True: deleting the stack deletes all of its resources, and termination protection is off."
        ),
    ] = False
    tags: Annotated[
        Tags,
        Field(
            max_length=MOST_TAGS,
            description="Tags of every resource, node and volume, in addition to `ultracluster:profile`: {owner: pretraining}.",
        ),
    ] = NO_TAGS
    network: Annotated[
        Network | None, Field(description="Network of the cluster; not set if `data` provides one.")
    ] = None
    data: Annotated[
        DataReference | None, Field(description="Profile whose network and storage this cluster uses.")
    ] = None
    compute: Annotated[Compute | None, Field(description="Node groups of the cluster.")] = None
    storage: Annotated[
        Storage | None, Field(description="File systems, home directories and local disks.")
    ] = None
    orchestrator: Annotated[Orchestrator | None, Field(description="Control plane of the cluster.")] = None
    observability: Annotated[Observability | None, Field(description="Metrics, dashboards and logs.")] = None
    access: Annotated[
        ClusterAccess | None, Field(description="Users of the cluster, and their access to its nodes.")
    ] = None
    images: Annotated[
        Images | None, Field(description="Container images: ECR repositories and pull-through caches.")
    ] = None
    workload: Annotated[
        Workload | None, Field(description="Model that is trained on the cluster, for estimates in the plan.")
    ] = None
    budget: Annotated[Budget | None, Field(description="Monthly budget, and who is notified.")] = None
    calendar: Annotated[
        Calendar | None, Field(description="Actions before reserved nodes are terminated; default: none.")
    ] = None
    waive: Annotated[
        Sequence[Waiver],
        Field(max_length=100, description="Findings that this profile accepts, each with a reason."),
    ] = ()

    @property
    def zone(self) -> str:
        """The zone of nodes and file system: its ID if set, else its name, else an empty text."""
        return self.availability_zone_id or self.availability_zone or ""
