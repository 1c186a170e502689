"""A directory of people that nodes ask."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.access.directory import MAPPED, id_range
from config.design.model import Design
from config.diagnostics import Path
from config.profile.access.cluster import ClusterAccess
from config.rules.registry import ERROR, WARNING, Finding, rule

_ACCESS: Path = ("access",)
_DIRECTORY: Path = (*_ACCESS, "directory")
_SSSD = "https://manpages.ubuntu.com/manpages/bionic/man5/sssd-ldap.5.html"
_SECRETS = "https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_examples_cross.html"
_IDMAP = "https://manpages.ubuntu.com/manpages/bionic/man5/sssd-ldap.5.html"


def _access(design: Design) -> ClusterAccess:
    access = design.profile.access
    assert access is not None  # where
    return access


@rule(
    "ACS020", ERROR, "the secret of a directory is one that nodes can read",
    why="Nodes ask Secrets Manager of their own Region; a secret of another account needs a policy and a key of its own.",
    source=_SECRETS, reads="access region account", where="directory",
)  # fmt: skip
def secret_can_be_read(design: Design) -> Iterator[Finding]:
    """bind_secret_arn and its key, by Region and account."""
    directory = _access(design).directory if design.profile.access else None
    if directory is None:
        return
    for key in ("bind_secret_arn", "bind_secret_key_arn"):
        arn = getattr(directory, key)
        yield from of_this_place(design, (*_DIRECTORY, key), arn)


def of_this_place(design: Design, at: Path, arn: str | None) -> Iterator[Finding]:
    """A secret or key of another Region or account; nothing where none is stated."""
    if arn is None:
        return
    region, account = arn.split(":")[3:5]
    profile = design.profile
    if region != profile.region:
        yield Finding(
            at=at,
            message=f"it is in {region}, and the cluster in {profile.region}",
            hint=f"write the ARN of one in {profile.region}",
        )
    elif profile.account is not None and account != profile.account:
        yield Finding(
            at=at,
            message=f"it is in account {account}, and the cluster in {profile.account}",
            hint=f"write the ARN of one in account {profile.account}",
        )


@rule(
    "ACS021", WARNING, "a closed network reaches its directory, and its images have sssd",
    why="Without an internet route nodes install nothing from a distribution, and reach servers inside the VPC alone.",
    source=_SSSD, reads="access network data", where="directory",
)  # fmt: skip
def directory_is_reached(design: Design) -> Iterator[Finding]:
    """A directory in a closed network."""
    directory = design.profile.access.directory if design.profile.access else None
    if directory is not None and design.network is not None and design.network.closed:
        yield Finding(
            at=_DIRECTORY,
            message=f"the network is closed: nodes reach {directory.uris[0]} only inside the VPC or over a peering of it, "
            "and cannot install sssd",
            hint="use images that have sssd-ldap (`ami_id`), see to a route, and waive this",
        )


@rule(
    "ACS022", ERROR, "ids of the list are not among those of the directory",
    why="One id for two people: each owns the other's files, and which name a node shows is a matter of order.",
    source=_IDMAP, reads="access", where="directory",
)  # fmt: skip
def ranges_are_apart(design: Design) -> Iterator[Finding]:
    """Users and groups within the directory's range."""
    directory = design.profile.access.directory if design.profile.access else None
    if directory is None:
        return
    low, high = id_range(directory) or (0, -1)
    if id_range(directory) is not None and low > high:
        yield Finding(
            at=_DIRECTORY,
            message=f"no id is taken from the directory: the least is {low} and the largest {high}",
            hint=f"write `least_id` below `largest_id`; ids by SID are {MAPPED[0]} to {MAPPED[1]}",
        )
    inside = [(one.name, one.uid) for one in design.everybody.people if low <= one.uid <= high]
    inside += [(one.name, one.gid) for one in design.everybody.teams if low <= one.gid <= high]
    if inside:
        name, number = inside[0]
        yield Finding(
            at=_DIRECTORY,
            message=f"{name} of the list has id {number}, and the directory's are {low} to {high}",
            hint="write `least_id:` and `largest_id:` that leave it out, or another id in the list",
        )


@rule(
    "ACS023", WARNING, "a directory beside a list has a range of its own",
    why="Where nothing bounds the directory's ids, nobody sees that somebody in it has the id of somebody in the list.",
    source=_IDMAP, reads="access", where="directory",
)  # fmt: skip
def range_is_stated(design: Design) -> Iterator[Finding]:
    """A directory with stated ids, beside people in the profile."""
    directory = design.profile.access.directory if design.profile.access else None
    if directory is not None and design.everybody.people and id_range(directory) is None:
        yield Finding(
            at=_DIRECTORY,
            message=f"{len(design.everybody.people)} people are in the list too, and nothing bounds the directory's ids",
            hint="write `least_id: 100000`, above all of the list",
        )
