"""People of a cluster: their names, and POSIX ids that mean the same everywhere."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count

from config.design.access.people import gid_of, stated_groups, uid_of
from config.design.model import Design
from config.diagnostics import Path
from config.profile.access.people import User, UserGroup
from config.rules.registry import ERROR, WARNING, Finding, rule

_USERADD = "https://manpages.ubuntu.com/manpages/noble/man8/useradd.8.html"
_IDS = "https://systemd.io/UIDS-GIDS/"
_ACCESS: Path = ("access",)
_FILE: Path = (*_ACCESS, "users_file")
_LAST_SYSTEM_ID = 999
_FIRST_FREE, _LAST_FREE = 10_000, 60_000
_IMAGE_IDS = range(1000, 1010)
_TAKEN_RANGES = ((60001, 60513), (60514, 60577), (61184, 65519), (65534, 65535))
"""Homes of systemd, users of the host in containers, dynamic users, nobody and -1 in 16 bits."""

TAKEN_NAMES = frozenset(
    (
        "root", "daemon", "bin", "sys", "sync", "games", "man", "lp", "mail", "news", "uucp", "proxy", "backup",
        "list", "irc", "gnats", "nobody", "nogroup", "adm", "tty", "disk", "sudo", "wheel", "users", "shadow",
        "staff", "operator", "ubuntu", "ec2-user", "ssm-user", "admin", "slurm", "munge", "slurmdbd", "mysql",
        "sshd", "sssd", "chrony", "dbus", "messagebus", "syslog", "polkitd", "docker", "kvm", "render", "video",
        "nvidia-persistenced", "dcgm", "everybody", "tcpdump", "tss", "usbmux", "landscape", "uuidd", "pollinate",
        "kmem", "dialout", "fax", "voice", "cdrom", "floppy", "tape", "audio", "dip", "www-data", "src", "utmp", "sasl",
        "plugdev", "cwagent",
        "systemd-network", "systemd-resolve", "systemd-timesync", "systemd-journal", "systemd-coredump",
    )
)  # fmt: skip
"""Accounts and groups of the images, of what runs on them, and of our own (`everybody`, Slurm's account)."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """Somebody, or a group, where the profile or its file states them."""

    at: Path
    item: User | UserGroup
    where: str


def _users(design: Design) -> Sequence[_Placed]:
    access, file = design.profile.access, design.people_file
    own = [_Placed((*_ACCESS, "users", i), user, "") for i, user in enumerate(access.users if access else ())]
    theirs = file.people.users if file else ()
    return [*own, *(_Placed(_FILE, user, f" in {file.path}" if file else "") for user in theirs)]


def _groups(design: Design) -> Sequence[_Placed]:
    access, file = design.profile.access, design.people_file
    if access is None:
        return []
    own = [_Placed((*_ACCESS, "groups", i), group, "") for i, group in enumerate(access.groups)]
    theirs = stated_groups(access, file)[len(access.groups) :]
    return [*own, *(_Placed(_FILE, group, f" in {file.path}" if file else "") for group in theirs)]


@rule(
    "ACS001", ERROR, "a file of people can be read, and says of each what a profile may say",
    why="Who is in it is known when the profile is checked, so that a slip of the pen is no surprise on a node.",
    source=_USERADD, reads="access", where="people",
)  # fmt: skip
def file_can_be_read(design: Design) -> Iterator[Finding]:
    """users_file as it was read."""
    file = design.people_file
    for fault in file.faults if file else ():
        yield Finding(
            at=_FILE,
            message=f"{file.path if file else ''}: {fault}",
            hint="write `users:` and `groups:` as under `access:`, or lines of CSV under `name,uid,group`",
        )


@rule(
    "ACS002", ERROR, "names of people and groups are theirs alone",
    why="A second account of a name is never made, and one of the image's own would be taken over.",
    source=_USERADD, reads="access", where="people",
)  # fmt: skip
def names_are_their_own(design: Design) -> Iterator[Finding]:
    """Twice, or one that images have."""
    seen: dict[str, str] = {}
    for kind, placed in (("user", _users(design)), ("group", _groups(design))):
        for one in placed:
            name = one.item.name
            if name in TAKEN_NAMES or name.startswith("systemd-"):
                yield Finding(
                    at=one.at,
                    message=f"{kind} {name}{one.where} has the name of an account or a group of the images",
                    hint=f"write another name, such as {name}-{'team' if kind == 'group' else 'person'}",
                )
            elif name in seen:
                what = "a group of its own" if seen[name] != kind else f"another {kind}"
                yield Finding(
                    at=one.at,
                    message=f"{kind} {name}{one.where} has the name of {what if kind == 'user' else _other(seen[name])}",
                    hint="take one out, or write another name: a user without `group:` has a group of the user's name",
                )
            seen.setdefault(name, kind)


def _other(kind: str) -> str:
    return "another group" if kind == "group" else "a user"


@rule(
    "ACS003", ERROR, "no two people and no two groups have one id",
    why="A file belongs to an id and not to a name: who shares one owns the other's home, jobs and checkpoints.",
    source=_IDS, reads="access", where="people",
)  # fmt: skip
def ids_are_their_own(design: Design) -> Iterator[Finding]:
    """Stated ids and those that follow from names."""
    uids: dict[int, tuple[str, bool]] = {}
    gids: dict[int, tuple[str, bool]] = {}
    for one in _users(design):
        user = one.item
        assert isinstance(user, User)
        yield from _meets(uids, "uid", uid_of(user), user.name, one, stated=user.uid is not None)
        if user.group is None:
            known = gids.get(uid_of(user))
            if known is None:
                gids[uid_of(user)] = (f"{user.name}'s own group", user.uid is not None)
    for one in _groups(design):
        group = one.item
        assert isinstance(group, UserGroup)
        yield from _meets(gids, "gid", gid_of(group), group.name, one, stated=group.gid is not None)


def _meets(
    known: dict[int, tuple[str, bool]], key: str, number: int, name: str, one: _Placed, *, stated: bool
) -> Iterator[Finding]:
    other = known.get(number)
    if other is None:
        known[number] = (name, stated)
    elif other[0] != name:
        how = "" if stated and other[1] else ", since what states none has one that follows from its name"
        yield Finding(
            at=one.at,
            message=f"{name}{one.where} and {other[0]} have {key} {number}{how}",
            hint=f"state another `{key}:` for whoever came last, such as {_free(known, number)}",
        )


def _free(known: dict[int, tuple[str, bool]], number: int) -> int:
    """The next id that nobody has, else the first one that people may have."""
    candidates = chain(range(max(number, _FIRST_FREE), _LAST_FREE), count(_FIRST_FREE))
    return next(candidate for candidate in candidates if candidate not in known)


@rule(
    "ACS004", ERROR, "ids of people and groups are not the system's",
    why="Below 1000 they are the system's, and systemd gives 60001 to 60577 and 61184 to 65519 to services and containers; "
    "65534 is nobody, as whom NFS shows strangers.",
    source=_IDS, reads="access", where="people",
)  # fmt: skip
def ids_are_of_people(design: Design) -> Iterator[Finding]:
    """Stated ids; those that follow from names are never among them."""
    for key, number, name, one in _stated_ids(design):
        taken = number <= _LAST_SYSTEM_ID or any(low <= number <= high for low, high in _TAKEN_RANGES)
        if taken:
            yield Finding(
                at=(*one.at, key) if one.at != _FILE else one.at,
                message=f"{key} {number} of {name}{one.where} is the system's",
                hint="write one from 1010 to 60000, or above 65535",
            )


@rule(
    "ACS005", WARNING, "ids of people are not those that images give to their own accounts",
    why="Images count their own accounts from 1000 (ubuntu or ec2-user), and the agent of Session Manager makes ssm-user "
    "with the next free one: whoever has that id in the list is left out on such a node.",
    source=_IDS, reads="access", where="people",
)  # fmt: skip
def ids_are_not_of_images(design: Design) -> Iterator[Finding]:
    """1000 to 1009."""
    for key, number, name, one in _stated_ids(design):
        if number in _IMAGE_IDS:
            yield Finding(
                at=(*one.at, key) if one.at != _FILE else one.at,
                message=f"{key} {number} of {name}{one.where} is one that images give to accounts of their own",
                hint="write one from 1010, or none; where files have it already, see which node says it is taken",
            )


def _stated_ids(design: Design) -> Iterator[tuple[str, int, str, _Placed]]:
    for one in (*_users(design), *_groups(design)):
        number = one.item.uid if isinstance(one.item, User) else one.item.gid
        if number is not None:
            yield "uid" if isinstance(one.item, User) else "gid", number, one.item.name, one


@rule(
    "ACS006", ERROR, "groups of people are groups that the profile or its file states",
    why="A group has an id, and one that nobody states would have another on each cluster.",
    source=_USERADD, reads="access", where="people",
)  # fmt: skip
def groups_are_stated(design: Design) -> Iterator[Finding]:
    """Of users and of nothing else: a directory's groups are its own."""
    access = design.profile.access
    if access is None or (design.people_file and design.people_file.faults):
        return
    known = {group.name for group in stated_groups(access, design.people_file)}
    for one in _users(design):
        user = one.item
        assert isinstance(user, User)
        wanted = (*((user.group,) if user.group else ()), *user.groups)
        missing = sorted({name for name in wanted if name not in known})
        if missing:
            yield Finding(
                at=one.at,
                message=f"{user.name}{one.where} is in {', '.join(missing)}, which no list of groups has",
                hint=f"add `- {{name: {missing[0]}}}` to `access.groups`; there {_are(sorted(known))}",
            )


def _are(names: list[str]) -> str:
    if not names:
        return "are none"
    return f"is {names[0]}" if len(names) == 1 else f"are {', '.join(names[:8])}"


_KEY = re.compile(r"(?P<kind>[a-z0-9@.-]+) (?P<data>[A-Za-z0-9+/]+={0,3})( .*)?")
_STRONG = frozenset(
    (
        "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
        "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
    )
)  # fmt: skip
_LEAST_RSA_BITS = 2048


def key_fault(key: str) -> str | None:
    """What is wrong with a public key, in words."""
    if "PRIVATE KEY" in key:
        return "is a private key: it is known to everybody now who can read this file, so make another one"
    found = _KEY.fullmatch(key.strip())
    if found is None:
        return "is no line of authorized_keys: type, key and comment, without options before them"
    kind = found["kind"]
    if kind == "ssh-dss":
        return "is a DSA key, which sshd takes no more"
    if kind not in _STRONG:
        return f"has the type {kind}, which sshd does not know"
    try:
        raw = base64.b64decode(found["data"], validate=True)
    except binascii.Error:
        return "is cut off or mistyped: it is no base64"
    parts = list(_parts(raw))
    if not parts or parts[0] != kind.encode() or len(parts) < 2:
        return f"is cut off or mistyped: what it holds is no {kind} key"
    bits = int.from_bytes(parts[-1], "big").bit_length() if kind == "ssh-rsa" else _LEAST_RSA_BITS
    return None if bits >= _LEAST_RSA_BITS else f"is an RSA key of {bits} bits"


def _parts(raw: bytes) -> Iterator[bytes]:
    """The fields of a key: each has its length before it (RFC 4253, 6.6)."""
    at = 0
    while at < len(raw):
        length = int.from_bytes(raw[at : at + 4], "big")
        if at + 4 + length > len(raw):
            return
        yield raw[at + 4 : at + 4 + length]
        at += 4 + length


@rule(
    "ACS007", ERROR, "ssh keys are whole public keys that sshd takes",
    why="A key that sshd does not take shuts its owner out; a private key in a profile is in its repository for ever.",
    source="https://man.openbsd.org/sshd.8#AUTHORIZED_KEYS_FILE_FORMAT", reads="access", where="people",
)  # fmt: skip
def keys_are_taken(design: Design) -> Iterator[Finding]:
    """Each key of each user."""
    for one in _users(design):
        user = one.item
        assert isinstance(user, User)
        for i, key in enumerate(user.ssh_keys):
            fault = key_fault(key)
            if fault is not None:
                yield Finding(
                    at=(*one.at, "ssh_keys", i) if one.at != _FILE else one.at,
                    message=f"key {i + 1} of {user.name}{one.where} {fault}",
                    hint="write what `cat ~/.ssh/id_ed25519.pub` shows; `ssh-keygen -t ed25519` makes one",
                )
