"""Users of a cluster, their POSIX ids, and the table of users that nodes read.

An id that is not set is computed from the name only, so adding, removing or sorting users does not change
other ids. If two names get the same id, a rule requires you to set the id of one of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from config.profile.access.cluster import ClusterAccess
from config.profile.access.people import KubernetesRight, User, UserGroup
from config.profile.source.people_file import PeopleFile

FIRST_ID = 10_000
"""Lowest computed id, which is above the ids of accounts in the images (1000 and above)."""

IDS = 50_000
"""Number of computed ids, which end at 59999: useradd assigns ids up to 60000, and systemd uses ids from
60001 (https://systemd.io/UIDS-GIDS/)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterUser:
    """A user with all properties that a node needs; `group` is the primary group, `groups` are all others."""

    name: str
    uid: int
    gid: int
    group: str
    groups: tuple[str, ...]
    ssh_keys: tuple[str, ...]
    sudo: bool
    shell: str
    principal: str | None
    rights: KubernetesRight

    @property
    def shared_groups(self) -> tuple[str, ...]:
        """All groups of the user except the one with the user's own name; the primary group is first."""
        own = () if self.group == self.name else (self.group,)
        return (*own, *self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterGroup:
    """A group and its id."""

    name: str
    gid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterUsers:
    """All users and groups of a cluster, sorted by name, without duplicates."""

    users: tuple[ClusterUser, ...] = ()
    groups: tuple[ClusterGroup, ...] = ()

    def user(self, name: str) -> ClusterUser | None:
        """Return the user with that name; None if there is none."""
        return next((user for user in self.users if user.name == name), None)


def derived_id(kind: str, name: str) -> int:
    """Compute an id from 10000 to 59999 from the name of a `user` or `group` that has no set id."""
    digest = hashlib.sha256(f"{kind}:{name}".encode()).digest()
    return FIRST_ID + int.from_bytes(digest[:8], "big") % IDS


def uid_of(user: User) -> int:
    """Return the uid of a user."""
    return derived_id("user", user.name) if user.uid is None else user.uid


def gid_of(group: UserGroup) -> int:
    """Return the gid of a group."""
    return derived_id("group", group.name) if group.gid is None else group.gid


def declared_users(access: ClusterAccess, file: PeopleFile | None) -> tuple[User, ...]:
    """Return the users in the profile, then the users in its users file."""
    return (*access.users, *(file.people.users if file else ()))


def declared_groups(access: ClusterAccess, file: PeopleFile | None) -> tuple[UserGroup, ...]:
    """Return the groups in the profile, then the groups in its users file."""
    named = {group.name for group in access.groups}
    csv = file is not None and file.path.endswith(".csv")
    from_file = file.people.groups if file else ()
    # lines of a CSV only name groups, so the profile's entry for a group takes precedence
    return (*access.groups, *(group for group in from_file if not csv or group.name not in named))


@lru_cache(maxsize=64)
def cluster_users(access: ClusterAccess | None, file: PeopleFile | None) -> ClusterUsers:
    """Return all users and groups; entries that a rule rejects, such as duplicate names, are left out."""
    if access is None:
        return ClusterUsers()
    groups = {group.name: gid_of(group) for group in reversed(declared_groups(access, file))}
    users = {user.name: user for user in reversed(declared_users(access, file))}
    return ClusterUsers(
        users=tuple(_cluster_user(user, groups) for _, user in sorted(users.items())),
        groups=tuple(ClusterGroup(name=name, gid=gid) for name, gid in sorted(groups.items())),
    )


def _cluster_user(user: User, groups: dict[str, int]) -> ClusterUser:
    uid = uid_of(user)
    own = user.group is None or user.group not in groups
    return ClusterUser(
        name=user.name,
        uid=uid,
        gid=uid if own else groups[user.group or ""],
        group=user.name if own else user.group or "",
        groups=tuple(sorted({name for name in user.groups if name in groups and name != user.group})),
        ssh_keys=tuple(dict.fromkeys(key.strip() for key in user.ssh_keys)),
        sudo=user.sudo,
        shell=user.shell,
        principal=user.principal,
        rights=user.rights,
    )


def users_table(users: ClusterUsers) -> str:
    """Return the table for nodes: a line for each group, user and key, with fields separated by blanks.

    `group NAME GID`, `user NAME UID GROUP GID SHELL SUDO GROUPS`, `key NAME KEY...`; `-` is an empty field.
    """
    return "".join(f"{line}\n" for line in _lines(users))


def _lines(users: ClusterUsers) -> Iterator[str]:
    for group in users.groups:
        yield f"group {group.name} {group.gid}"
    for user in users.users:
        sudo = "sudo" if user.sudo else "-"
        groups = ",".join(user.groups) or "-"
        yield f"user {user.name} {user.uid} {user.group} {user.gid} {user.shell} {sudo} {groups}"
    for user in users.users:
        for key in user.ssh_keys:
            yield f"key {user.name} {' '.join(key.split())}"
