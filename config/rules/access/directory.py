"""Rules for a directory (LDAP or Active Directory) that nodes query."""

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
    assert access is not None  # the rules apply only to profiles with `access`
    return access


@rule(
    "ACS020", ERROR, "the secret of the directory is in the Region and account of the cluster",
    why="Nodes query Secrets Manager in their own Region. A secret in another account needs a resource policy and a customer managed key.",
    source=_SECRETS, reads="access region account", where="directory",
)  # fmt: skip
def secret_can_be_read(design: Design) -> Iterator[Finding]:
    """Check Region and account of `bind_secret_arn` and of the secret's key."""
    directory = _access(design).directory if design.profile.access else None
    if directory is None:
        return
    for key in ("bind_secret_arn", "bind_secret_key_arn"):
        arn = getattr(directory, key)
        yield from check_region_and_account(design, (*_DIRECTORY, key), arn)


def check_region_and_account(design: Design, at: Path, arn: str | None) -> Iterator[Finding]:
    """Report a secret or key in another Region or account; an ARN that is not set is accepted."""
    if arn is None:
        return
    region, account = arn.split(":")[3:5]
    profile = design.profile
    if region != profile.region:
        yield Finding(
            at=at,
            message=f"`{at[-1]}` is in {region}, but the cluster is in {profile.region}",
            hint=f"write an ARN in {profile.region}",
        )
    elif profile.account is not None and account != profile.account:
        yield Finding(
            at=at,
            message=f"`{at[-1]}` is in account {account}, but the cluster is in account {profile.account}",
            hint=f"write an ARN in account {profile.account}",
        )


@rule(
    "ACS021", WARNING, "nodes in a closed network can reach the directory, and the node image contains sssd",
    why="Without a route to the internet, nodes cannot install packages and reach only servers in the VPC or in a peered network.",
    source=_SSSD, reads="access network data", where="directory",
)  # fmt: skip
def directory_is_reached(design: Design) -> Iterator[Finding]:
    """Report a directory in a closed network."""
    directory = design.profile.access.directory if design.profile.access else None
    if directory is not None and design.network is not None and design.network.closed:
        yield Finding(
            at=_DIRECTORY,
            message=f"the network is closed: nodes cannot install sssd; they reach {directory.uris[0]} only if that server is in "
            "the VPC or in a peered network",
            hint="set `ami_id` to an image that contains sssd-ldap, create a route to the directory, and waive this rule",
        )


@rule(
    "ACS022", ERROR, "ids in the profile are outside of the directory's range",
    why="Two users with one id own each other's files, and a node shows only one of the two names.",
    source=_IDMAP, reads="access", where="directory",
)  # fmt: skip
def ids_are_outside_the_range(design: Design) -> Iterator[Finding]:
    """Check ids of users and groups against the directory's range."""
    directory = design.profile.access.directory if design.profile.access else None
    if directory is None:
        return
    low, high = id_range(directory) or (0, -1)
    if id_range(directory) is not None and low > high:
        yield Finding(
            at=_DIRECTORY,
            message=f"the range of directory ids is empty, because `least_id` ({low}) is above `largest_id` ({high})",
            hint=f"set `least_id` below `largest_id`; ids computed from SIDs are {MAPPED[0]} to {MAPPED[1]}",
        )
    inside = [(one.name, one.uid) for one in design.users.users if low <= one.uid <= high]
    inside += [(one.name, one.gid) for one in design.users.groups if low <= one.gid <= high]
    if inside:
        name, number = inside[0]
        yield Finding(
            at=_DIRECTORY,
            message=f"the profile sets the id of {name} to {number}, which is in the directory's range of ids ({low} to {high})",
            hint=f"set `least_id:` or `largest_id:` so that {number} is outside the range, or change the id in the profile",
        )


@rule(
    "ACS023", WARNING, "a directory has a range of ids if the profile also has users",
    why="Without a range, a user of the directory and a user of the profile can have the same id, and no check finds it.",
    source=_IDMAP, reads="access", where="directory",
)  # fmt: skip
def range_is_set(design: Design) -> Iterator[Finding]:
    """Report a directory without a range of ids if the profile also has users."""
    directory = design.profile.access.directory if design.profile.access else None
    if directory is not None and design.users.users and id_range(directory) is None:
        yield Finding(
            at=_DIRECTORY,
            message="the profile declares a directory and also users, but the directory's range of ids is not set",
            hint="set `least_id: 100000`, or another number above all ids in the profile",
        )
