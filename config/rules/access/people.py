"""Rules for users and groups: names, POSIX ids and SSH keys."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count

from config.design.access.people import declared_groups, gid_of, uid_of
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
_RESERVED_RANGES = ((60001, 60513), (60514, 60577), (61184, 65519), (65534, 65535))
"""Ids of systemd-homed, of host users in containers, of dynamic users, of `nobody`, and -1 in 16 bits."""

RESERVED_NAMES = frozenset(
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
"""Names of accounts and groups that images, their software and ultracluster use (`everybody` in Slurm)."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A user or group, with its path in the profile (or in the users file)."""

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
    theirs = declared_groups(access, file)[len(access.groups) :]
    return [*own, *(_Placed(_FILE, group, f" in {file.path}" if file else "") for group in theirs)]


@rule(
    "ACS001", ERROR, "the users file can be read, and each entry has valid keys",
    why="ultracluster reads the file when it checks the profile. The error then appears before the deployment, and not later on a "
    "node.",
    source=_USERADD, reads="access", where="people",
)  # fmt: skip
def file_can_be_read(design: Design) -> Iterator[Finding]:
    """Report the faults of `users_file`."""
    file = design.people_file
    for fault in file.faults if file else ():
        yield Finding(
            at=_FILE,
            message=f"{file.path if file else ''} cannot be used: {fault}",
            hint="create the file with `users:` and `groups:` in the format of `access:`, or with CSV lines under the header "
            "`name,uid,group`",
        )


@rule(
    "ACS002", ERROR, "each user and group has a unique name that the images do not use",
    why="A node has one account for each name. A user with the name of an account in the image would get the rights of that account.",
    source=_USERADD, reads="access", where="people",
)  # fmt: skip
def names_are_unique(design: Design) -> Iterator[Finding]:
    """Report duplicate names, and names that images use."""
    seen: dict[str, str] = {}
    for kind, placed in (("user", _users(design)), ("group", _groups(design))):
        for one in placed:
            name = one.item.name
            if name in RESERVED_NAMES or name.startswith("systemd-"):
                yield Finding(
                    at=one.at,
                    message=f"{kind} {name}{one.where} has the same name as an account or group in the images",
                    hint=f"choose another name, for example {name}-{'team' if kind == 'group' else 'user'}",
                )
            elif name in seen:
                what = "a user's own group" if seen[name] != kind else f"another {kind}"
                yield Finding(
                    at=one.at,
                    message=f"{kind} {name}{one.where} has the same name as {what if kind == 'user' else _other(seen[name])}",
                    hint="rename or remove one of the two; a user without `group:` gets a group with the user's name",
                )
            seen.setdefault(name, kind)


def _other(kind: str) -> str:
    return "another group" if kind == "group" else "a user"


@rule(
    "ACS003", ERROR, "each uid belongs to one user, and each gid to one group",
    why="Files belong to an id, not to a name. Two users with one id own each other's home directory, jobs and checkpoints.",
    source=_IDS, reads="access", where="people",
)  # fmt: skip
def ids_are_unique(design: Design) -> Iterator[Finding]:
    """Report duplicate ids, including ids computed from names."""
    uids: dict[int, tuple[str, bool]] = {}
    gids: dict[int, tuple[str, bool]] = {}
    for one in _users(design):
        user = one.item
        assert isinstance(user, User)
        yield from _meets(uids, "uid", uid_of(user), user.name, one, declared=user.uid is not None)
        if user.group is None:
            known = gids.get(uid_of(user))
            if known is None:
                gids[uid_of(user)] = (f"{user.name}'s own group", user.uid is not None)
    for one in _groups(design):
        group = one.item
        assert isinstance(group, UserGroup)
        yield from _meets(gids, "gid", gid_of(group), group.name, one, declared=group.gid is not None)


def _meets(
    known: dict[int, tuple[str, bool]], key: str, number: int, name: str, one: _Placed, *, declared: bool
) -> Iterator[Finding]:
    other = known.get(number)
    if other is None:
        known[number] = (name, declared)
    elif other[0] != name:
        how = "" if declared and other[1] else " (an id that is not set is computed from the name)"
        yield Finding(
            at=one.at,
            message=f"{_owner(key)}s {name}{one.where} and {other[0]} both have {key} {number}{how}",
            hint=f"set a different `{key}:` for the newer entry, for example {_free(known, number)}",
        )


def _free(known: dict[int, tuple[str, bool]], number: int) -> int:
    """Return the next free id; if all higher ids in the range are used, the first free id of the range."""
    candidates = chain(range(max(number, _FIRST_FREE), _LAST_FREE), count(_FIRST_FREE))
    return next(candidate for candidate in candidates if candidate not in known)


@rule(
    "ACS004", ERROR, "ids of users and groups are outside of the system's ranges",
    why="Ids below 1000 belong to the system. systemd uses 60001 to 60577 and 61184 to 65519 for home directories, services and "
    "containers. 65534 is `nobody`, which NFS shows as the owner of files with an unknown id.",
    source=_IDS, reads="access", where="people",
)  # fmt: skip
def ids_are_not_reserved(design: Design) -> Iterator[Finding]:
    """Check that ids in the profile are not reserved; ids computed from names are never reserved."""
    for key, number, name, one in _declared_ids(design):
        taken = number <= _LAST_SYSTEM_ID or any(low <= number <= high for low, high in _RESERVED_RANGES)
        if taken:
            yield Finding(
                at=(*one.at, key) if one.at != _FILE else one.at,
                message=f"{key} {number} of {_owner(key)} {name}{one.where} is reserved for the system",
                hint=f"set `{key}:` to a number from 1010 to 60000, or above 65535",
            )


@rule(
    "ACS005", WARNING, "no user has the id of an account in the images",
    why="Images number their own accounts from 1000 (ubuntu or ec2-user), and the Session Manager agent creates ssm-user with "
    "the next free id. A node does not create an account whose id is already in use.",
    source=_IDS, reads="access", where="people",
)  # fmt: skip
def ids_are_not_of_images(design: Design) -> Iterator[Finding]:
    """Report ids from 1000 to 1009."""
    for key, number, name, one in _declared_ids(design):
        if number in _IMAGE_IDS:
            yield Finding(
                at=(*one.at, key) if one.at != _FILE else one.at,
                message=f"{key} {number} of {_owner(key)} {name}{one.where} is in the range that images use for their own accounts (1000 to 1009)",
                hint=f"set `{key}:` to 1010 or more, or remove `{key}:`; if existing files have this id, check that no other account on the nodes has this id, and waive this rule",
            )


def _owner(key: str) -> str:
    return "user" if key == "uid" else "group"


def _declared_ids(design: Design) -> Iterator[tuple[str, int, str, _Placed]]:
    for one in (*_users(design), *_groups(design)):
        number = one.item.uid if isinstance(one.item, User) else one.item.gid
        if number is not None:
            yield "uid" if isinstance(one.item, User) else "gid", number, one.item.name, one


@rule(
    "ACS006", ERROR, "the groups of each user are declared in the profile or in the users file",
    why="A group needs the same id on all clusters, and only a declared group has an id.",
    source=_USERADD, reads="access", where="people",
)  # fmt: skip
def groups_are_declared(design: Design) -> Iterator[Finding]:
    """Check groups of users; groups of a directory are not checked."""
    access = design.profile.access
    if access is None or (design.people_file and design.people_file.faults):
        return
    known = {group.name for group in declared_groups(access, design.people_file)}
    for one in _users(design):
        user = one.item
        assert isinstance(user, User)
        wanted = (*((user.group,) if user.group else ()), *user.groups)
        missing = sorted({name for name in wanted if name not in known})
        if missing:
            yield Finding(
                at=one.at,
                message=f"user {user.name}{one.where} is in an undeclared group: {', '.join(missing)}",
                hint=f"add `- {{name: {missing[0]}}}` to `access.groups`, or use a declared group: {_are(sorted(known))}",
            )


def _are(names: list[str]) -> str:
    if not names:
        return "none"
    return ", ".join(names[:8])


_KEY = re.compile(r"(?P<kind>[a-z0-9@.-]+) (?P<data>[A-Za-z0-9+/]+={0,3})( .*)?")
_STRONG = frozenset(
    (
        "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
        "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
    )
)  # fmt: skip
_MIN_RSA_BITS = 2048


def key_fault(key: str) -> str | None:
    """Return the fault of a public key as the end of a sentence, or None if the key is valid."""
    if "PRIVATE KEY" in key:
        return "is a private key, and every reader of this file can copy it; create a new key pair"
    found = _KEY.fullmatch(key.strip())
    if found is None:
        return "is not a line of authorized_keys (type, key and comment, without options before them)"
    kind = found["kind"]
    if kind == "ssh-dss":
        return "is a DSA key, which sshd no longer accepts"
    if kind not in _STRONG:
        return f"has the type {kind}, which sshd does not accept"
    try:
        raw = base64.b64decode(found["data"], validate=True)
    except binascii.Error:
        return "is cut off or mistyped: it is not base64"
    parts = list(_parts(raw))
    if not parts or parts[0] != kind.encode() or len(parts) < 2:
        return f"is cut off or mistyped: the data is not a {kind} key"
    bits = int.from_bytes(parts[-1], "big").bit_length() if kind == "ssh-rsa" else _MIN_RSA_BITS
    return None if bits >= _MIN_RSA_BITS else f"is an RSA key of {bits} bits; the minimum is {_MIN_RSA_BITS}"


def _parts(raw: bytes) -> Iterator[bytes]:
    """Yield the fields of a key; each has a length prefix (RFC 4253, 6.6)."""
    at = 0
    while at < len(raw):
        length = int.from_bytes(raw[at : at + 4], "big")
        if at + 4 + length > len(raw):
            return
        yield raw[at + 4 : at + 4 + length]
        at += 4 + length


@rule(
    "ACS007", ERROR, "SSH keys are complete public keys that sshd accepts",
    why="The owner of an invalid key cannot log in. A private key in a profile remains in the history of its repository.",
    source="https://man.openbsd.org/sshd.8#AUTHORIZED_KEYS_FILE_FORMAT", reads="access", where="people",
)  # fmt: skip
def ssh_keys_are_valid(design: Design) -> Iterator[Finding]:
    """Check `ssh_keys` of each user."""
    for one in _users(design):
        user = one.item
        assert isinstance(user, User)
        for i, key in enumerate(user.ssh_keys):
            fault = key_fault(key)
            if fault is not None:
                yield Finding(
                    at=(*one.at, "ssh_keys", i) if one.at != _FILE else one.at,
                    message=f"SSH key {i + 1} of user {user.name}{one.where} {fault}",
                    hint="write the output of `cat ~/.ssh/id_ed25519.pub`; `ssh-keygen -t ed25519` creates a key pair",
                )
