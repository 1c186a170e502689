"""SSM parameters by which a data profile publishes its network and storage to cluster profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from config.design.names import fingerprint
from config.design.network.plan import NetworkPlan
from config.design.storage.home import HomePlan
from config.design.storage.lustre import MAIN, LustrePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """The SSM parameter paths under which a data profile publishes its ids.

    The version in a path is a fingerprint of the properties that require replacement. A value is therefore
    never overwritten, and a cluster keeps its resources until it is deployed again. `further` has the path
    prefixes of additional file systems and buckets, so that adding one does not change the other paths.
    """

    prefix: str
    further: Mapping[str, str] = field(default_factory=dict, hash=False)

    def path(self, key: str) -> str:
        """Return the name of the parameter `vpc-id`, `subnet-primary-id`, `lustre-id` or another key."""
        return f"{self.further.get(key, self.prefix)}/{key}"


VPC = "vpc-id"
"""Last path element of the parameter with the VPC id."""

NODE_SECURITY_GROUP = "node-security-group-id"
"""Last path element of the parameter with the id of the nodes' security group."""


def subnet_parameter(name: str) -> str:
    """Return the last path element of the parameter with the id of a subnet."""
    return f"subnet-{name}-id"


FACTS = ("dns-name", "id", "mount-name")
"""Values that clusters need to use a Lustre file system."""


def parameter_of(system: LustrePlan, fact: str) -> str:
    """Return the last path element of the parameter with a file system's `fact`, which is one of FACTS."""
    return f"lustre-{fact}" if system.name == MAIN else f"lustre-{system.name}-{fact}"


HOME_DNS = "home-dns-name"
"""Last path element of the parameter with the DNS name of the home directories."""

HOME_ID = "home-id"
"""Last path element of the parameter with the id of the home directories' file system."""

EXPRESS_BUCKET = "s3-express-bucket-name"
"""Last path element of the parameter with the name of the directory bucket."""


def plan_attachment(
    name: str, network: NetworkPlan, systems: tuple[LustrePlan, ...], home: HomePlan | None = None
) -> Attachment:
    """Return the parameter paths of the data profile with this name."""
    network_facts: list[object] = [
        network.existing_vpc_id,
        network.vpc_cidr,
        [network.primary.cidr, network.primary.zone],
        [subnet.id for subnet in network.subnets if subnet.id],
    ]
    main = next((system for system in systems if system.name == MAIN), None)
    first = [*network_facts, main.efa if main else None]
    # newer properties count only if they are set, so that the paths of deployed profiles do not change
    first += [[_create_only(main)]] if main and _is_unlike_first(main) else []
    further = {
        parameter_of(system, fact): _version([*network_facts, _create_only(system)])
        for system in systems
        if system.name != MAIN
        for fact in FACTS
    }
    # the zone of a directory bucket is already part of `network_facts`
    further[EXPRESS_BUCKET] = _version([*network_facts, "s3-express"])
    if home:
        further |= dict.fromkeys((HOME_DNS, HOME_ID), _version([*network_facts, _create_only_home(home)]))
    root = f"/ultracluster/{name}/"
    return Attachment(
        prefix=root + _version(first), further={key: root + version for key, version in further.items()}
    )


def _version(create_only: list[object]) -> str:
    return f"v1-{fingerprint(create_only)}"


def _is_unlike_first(system: LustrePlan) -> bool:
    kind = (system.kind.deployment, system.kind.storage)
    return kind != ("persistent-2", "ssd") or bool(system.existing) or bool(_replacing(system))


def _create_only_home(home: HomePlan) -> list[object]:
    deployment = home.deployment.deployment_type if home.deployment else None
    existing = home.existing.file_system_id if home.existing else None
    # CloudFormation replaces the file system when the compression of its root volume changes
    return ["home", deployment, home.subnet, existing, home.key_arn, home.compression]


def _create_only(system: LustrePlan) -> list[object]:
    existing = system.existing.file_system_id if system.existing else None
    kind = [system.name, system.kind.deployment, system.kind.storage, system.efa, existing]
    return [*kind, *_replacing(system)]


def _replacing(system: LustrePlan) -> list[object]:
    """Return the settings whose change replaces the file system; empty if they have their defaults.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-fsx-filesystem.html
    """
    settings = system.settings
    if settings is None:
        return []
    copies_tags = bool(settings.backups and settings.backups.copy_tags)
    return [settings.key_arn, copies_tags] if settings.key_arn or copies_tags else []
