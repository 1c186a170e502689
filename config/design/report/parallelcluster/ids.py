"""Ids of resources that ParallelCluster does not create, and placeholders for unknown ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from config.design.model import Design
from config.design.network.attachment import NODE_SECURITY_GROUP, subnet_parameter
from config.design.report.parallelcluster.slurm import hooks
from config.design.report.parallelcluster.storage import is_created
from config.design.storage.lustre import MAIN, LustrePlan
from config.design.zones import PRIMARY


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownIds:
    """Ids and an image from the command line; ids are listed by the name of their subnet or file system."""

    subnets: Mapping[str, str] = field(default_factory=dict, hash=False)
    file_systems: Mapping[str, str] = field(default_factory=dict, hash=False)
    home_volume: str | None = None
    security_group: str | None = None
    image: str | None = None
    actions: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownId:
    """An unknown id: its placeholder, its resource, the option that sets it, and a command that finds it."""

    placeholder: str
    what: str
    option: str
    find: str

    def as_dict(self) -> dict[str, str]:
        """Return the fields as JSON-ready data."""
        return {"placeholder": self.placeholder, "what": self.what, "option": self.option, "find": self.find}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """All ids of a configuration.

    `security_group` allows nodes to reach existing file systems. `actions` is the S3 folder of the custom
    action scripts, empty if there are none.
    """

    subnets: Mapping[str, str] = field(hash=False)
    file_systems: Mapping[str, str] = field(hash=False)
    home_volume: str | None
    security_group: str | None
    actions: str
    unknown: tuple[UnknownId, ...]


def subnet_names(design: Design) -> tuple[str, ...]:
    """Return the names of the nodes' subnets, the primary one first."""
    others = {group.subnet for group in design.groups} - {PRIMARY}
    return (PRIMARY, *sorted(others))


def identify(design: Design, known_ids: KnownIds) -> Ids:
    """Return the ids of a design, with valid placeholders for unknown ids."""
    unknown: list[UnknownId] = []

    def known_or_placeholder(known: str | None, missing: UnknownId) -> str:
        if known:
            return known
        unknown.append(missing)
        return missing.placeholder

    subnets = {
        name: known_or_placeholder(
            known_ids.subnets.get(name) or _subnet_id(design, name), _subnet(design, name, i)
        )
        for i, name in enumerate(subnet_names(design), 1)
    }
    systems = {
        system.name: known_or_placeholder(
            known_ids.file_systems.get(system.name)
            or (system.existing.file_system_id if system.existing else None),
            _file_system(design, system, i),
        )
        for i, system in enumerate(mounted_file_systems(design), 1)
    }
    volume = known_or_placeholder(known_ids.home_volume, _home(design)) if design.home else None
    group = (
        known_or_placeholder(known_ids.security_group, _security_group(design)) if systems or volume else None
    )
    return Ids(
        subnets=subnets,
        file_systems=systems,
        home_volume=volume,
        security_group=group,
        actions=known_or_placeholder(known_ids.actions, _actions()).rstrip("/") if hooks(design) else "",
        unknown=tuple(unknown),
    )


def mounted_file_systems(design: Design) -> Iterator[LustrePlan]:
    """Yield the file systems that ParallelCluster mounts, but does not create."""
    return (system for system in design.file_systems if not is_created(design, system))


def _placeholder(prefix: str, number: int) -> str:
    """Return an id that is valid in the schema and is clearly a placeholder."""
    return f"{prefix}-replaceme{number:08}"


def _subnet_id(design: Design, name: str) -> str | None:
    return next((s.id for s in design.network.subnets if s.name == name), None) if design.network else None


def _actions() -> UnknownId:
    return UnknownId(
        placeholder="s3://replaceme/pcluster",
        what="the S3 folder of job_hooks.sh",
        option="--actions s3://BUCKET/PREFIX",
        find="aws s3 cp scripts/node/parallelcluster/job_hooks.sh s3://BUCKET/PREFIX/",
    )


def _subnet(design: Design, name: str, number: int) -> UnknownId:
    plan = next((s for s in design.network.subnets if s.name == name), None) if design.network else None
    where = f", {plan.cidr} in {plan.zone}" if plan else ""
    option = "--subnet ID" if name == PRIMARY else f"--subnet {name}=ID"
    tag = "Name=tag:ultracluster:profile,Values=" + design.profile.name
    return UnknownId(
        placeholder=_placeholder("subnet", number),
        what=f"the {name} subnet{where}",
        option=option,
        find=_published(design, subnet_parameter(name))
        or _aws(
            design,
            f"ec2 describe-subnets --filters {tag} Name=cidr-block,Values={plan.cidr if plan else ''} "
            "--query Subnets[].SubnetId",
        ),
    )


def _security_group(design: Design) -> UnknownId:
    return UnknownId(
        placeholder=_placeholder("sg", 1),
        what="a security group that the file systems allow",
        option="--security-group ID",
        find=_published(design, NODE_SECURITY_GROUP)
        or _aws(
            design,
            "ec2 describe-security-groups --filters Name=tag:ultracluster:profile,Values="
            f"{design.profile.name} --query 'SecurityGroups[].[GroupId,Description]'",
        ),
    )


def _file_system(design: Design, system: LustrePlan, number: int) -> UnknownId:
    name = "" if system.name == MAIN else system.name.title().replace("-", "")
    return UnknownId(
        placeholder=_placeholder("fs", number),
        what=f"the Lustre file system at {system.mount_path}",
        option="--file-system ID" if system.name == MAIN else f"--file-system {system.name}=ID",
        find=_output(design, f"Lustre{name}FileSystemId", own=system in design.own_file_systems),
    )


def _home(design: Design) -> UnknownId:
    assert design.home is not None
    existing = design.home.existing
    what = f"the root volume of the OpenZFS file system at {design.home.mount_path}"
    wanted = "fsx describe-file-systems --query FileSystems[0].OpenZFSConfiguration.RootVolumeId"
    system = existing.file_system_id if existing else "ID"
    first = "" if existing else _output(design, "HomeFileSystemId", own=design.owns_home) + "; "
    return UnknownId(
        placeholder=f"fsvol-{1:017}",  # the schema accepts only hexadecimal digits
        what=what,
        option="--home-volume ID",
        find=first + _aws(design, f"{wanted} --file-system-ids {system}"),
    )


def _published(design: Design, key: str) -> str | None:
    """Return the command that reads an id from a data profile's stack."""
    if design.data_profile is None or design.owns_network or design.attachment is None:
        return None
    return _aws(design, f"ssm get-parameter --name {design.attachment.path(key)} --query Parameter.Value")


def _output(design: Design, key: str, *, own: bool) -> str:
    stack = design.profile if own or design.data_profile is None else design.data_profile
    wanted = f"Stacks[0].Outputs[?OutputKey=='{key}'].OutputValue"
    return _aws(design, f'cloudformation describe-stacks --stack-name {stack.name} --query "{wanted}"')


def _aws(design: Design, arguments: str) -> str:
    return f"aws {arguments} --output text --region {design.profile.region}"
