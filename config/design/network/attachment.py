"""How one profile's network and storage reach another profile's cluster: versioned SSM parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from config.design.names import fingerprint
from config.design.network.plan import NetworkPlan
from config.design.storage.home import HomePlan
from config.design.storage.lustre import MAIN, LustrePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """The parameter paths under which a data profile publishes its ids.

    The version in the path follows from what can only be replaced: a value under a path is never
    overwritten, so a cluster keeps what it was deployed with until it is deployed again. `further` has the
    prefixes of what is beside the network and the main file system: one more, or one less, moves no other.
    """

    prefix: str
    further: Mapping[str, str] = field(default_factory=dict, hash=False)

    def path(self, key: str) -> str:
        """The parameter's name for `vpc-id`, `primary-subnet-id`, `node-security-group-id`, `lustre-...`."""
        return f"{self.further.get(key, self.prefix)}/{key}"


VPC = "vpc-id"
"""The last part of the parameter that has the id of the VPC."""

NODE_SECURITY_GROUP = "node-security-group-id"
"""The last part of the parameter that has the id of the nodes' security group."""


def subnet_parameter(name: str) -> str:
    """The last part of the parameter that has the id of a subnet of the network plan."""
    return f"subnet-{name}-id"


FACTS = ("dns-name", "id", "mount-name")
"""What clusters must know of a file system."""


def parameter_of(system: LustrePlan, fact: str) -> str:
    """The last part of the parameter that has a fact (`dns-name`, `id`, `mount-name`) of a file system."""
    return f"lustre-{fact}" if system.name == MAIN else f"lustre-{system.name}-{fact}"


HOME_DNS = "home-dns-name"
"""The last part of the parameter that has the DNS name of the home directories."""

HOME_ID = "home-id"
"""The last part of the parameter that has the id of the home directories' file system."""

EXPRESS_BUCKET = "s3-express-bucket-name"
"""The last part of the parameter that has the name of the directory bucket."""


def plan_attachment(
    name: str, network: NetworkPlan, systems: tuple[LustrePlan, ...], home: HomePlan | None = None
) -> Attachment:
    """Where the data profile of that name publishes its network and file system."""
    ground: list[object] = [
        network.existing_vpc_id,
        network.vpc_cidr,
        [network.primary.cidr, network.primary.zone],
        [subnet.id for subnet in network.subnets if subnet.id],
    ]
    main = next((system for system in systems if system.name == MAIN), None)
    first = [*ground, main.efa if main else None]
    # what came later counts only where it is there: the paths of a deployed profile do not move
    first += [[_create_only(main)]] if main and _is_unlike_first(main) else []
    further = {
        parameter_of(system, fact): _version([*ground, _create_only(system)])
        for system in systems
        if system.name != MAIN
        for fact in FACTS
    }
    # a directory bucket is in one zone, and that is part of the ground
    further[EXPRESS_BUCKET] = _version([*ground, "s3-express"])
    if home:
        further |= dict.fromkeys((HOME_DNS, HOME_ID), _version([*ground, _create_only_home(home)]))
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
    # compression is the root volume's: CloudFormation makes another file system for another one
    return ["home", deployment, home.subnet, existing, home.key_arn, home.compression]


def _create_only(system: LustrePlan) -> list[object]:
    existing = system.existing.file_system_id if system.existing else None
    kind = [system.name, system.kind.deployment, system.kind.storage, system.efa, existing]
    return [*kind, *_replacing(system)]


def _replacing(system: LustrePlan) -> list[object]:
    """Settings that another file system takes the place for; none where they are as they are by default.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-fsx-filesystem.html
    """
    settings = system.settings
    if settings is None:
        return []
    copies_tags = bool(settings.backups and settings.backups.copy_tags)
    return [settings.key_arn, copies_tags] if settings.key_arn or copies_tags else []
