"""The people of a cluster: their POSIX ids, which no other user moves, and what nodes are told of them.

An id that is not stated follows from the name alone, so that adding, removing or sorting people changes
nobody's id. Two names can meet at one id: then a rule asks for one of them to be stated.
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
"""Above what images give to their own accounts, which begin at 1000."""

IDS = 50_000
"""As far as 59999: useradd ends at 60000, and systemd takes from 60001 (https://systemd.io/UIDS-GIDS/)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody with everything that a node needs; `group` is the primary group, `groups` are the others."""

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
    def teams(self) -> tuple[str, ...]:
        """The groups that are not theirs alone, the primary one first."""
        own = () if self.group == self.name else (self.group,)
        return (*own, *self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A group with its id."""

    name: str
    gid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Everybody:
    """All people and groups of a cluster by name, each once."""

    people: tuple[Person, ...] = ()
    teams: tuple[Team, ...] = ()

    def person(self, name: str) -> Person | None:
        """The person of that name."""
        return next((person for person in self.people if person.name == name), None)


def derived_id(kind: str, name: str) -> int:
    """The id of a `user` or a `group` that states none: from 10000 to 59999, by the name alone."""
    digest = hashlib.sha256(f"{kind}:{name}".encode()).digest()
    return FIRST_ID + int.from_bytes(digest[:8], "big") % IDS


def uid_of(user: User) -> int:
    """The uid that a user has."""
    return derived_id("user", user.name) if user.uid is None else user.uid


def gid_of(group: UserGroup) -> int:
    """The gid that a group has."""
    return derived_id("group", group.name) if group.gid is None else group.gid


def stated_users(access: ClusterAccess, file: PeopleFile | None) -> tuple[User, ...]:
    """Those of the profile, then those of its file."""
    return (*access.users, *(file.people.users if file else ()))


def stated_groups(access: ClusterAccess, file: PeopleFile | None) -> tuple[UserGroup, ...]:
    """Those of the profile, then those of its file that the profile does not state."""
    named = {group.name for group in access.groups}
    csv = file is not None and file.path.endswith(".csv")
    theirs = file.people.groups if file else ()
    # the lines of a CSV name groups and say nothing of them: what the profile states of one holds
    return (*access.groups, *(group for group in theirs if not csv or group.name not in named))


@lru_cache(maxsize=64)
def everybody(access: ClusterAccess | None, file: PeopleFile | None) -> Everybody:
    """All people; what a rule refuses, such as a second one of the same name, is left out."""
    if access is None:
        return Everybody()
    groups = {group.name: gid_of(group) for group in reversed(stated_groups(access, file))}
    users = {user.name: user for user in reversed(stated_users(access, file))}
    return Everybody(
        people=tuple(_person(user, groups) for _, user in sorted(users.items())),
        teams=tuple(Team(name=name, gid=gid) for name, gid in sorted(groups.items())),
    )


def _person(user: User, groups: dict[str, int]) -> Person:
    uid = uid_of(user)
    own = user.group is None or user.group not in groups
    return Person(
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


def people_table(all_of_them: Everybody) -> str:
    """What nodes read: a line for each group, user and key, in words divided by blanks.

    `group NAME GID`, `user NAME UID GROUP GID SHELL SUDO GROUPS`, `key NAME KEY...`; `-` stands for nothing.
    """
    return "".join(f"{line}\n" for line in _lines(all_of_them))


def _lines(all_of_them: Everybody) -> Iterator[str]:
    for team in all_of_them.teams:
        yield f"group {team.name} {team.gid}"
    for person in all_of_them.people:
        sudo = "sudo" if person.sudo else "-"
        groups = ",".join(person.groups) or "-"
        yield f"user {person.name} {person.uid} {person.group} {person.gid} {person.shell} {sudo} {groups}"
    for person in all_of_them.people:
        for key in person.ssh_keys:
            yield f"key {person.name} {' '.join(key.split())}"
