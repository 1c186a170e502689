"""A configuration of ssh with a host for each node, which Session Manager carries: no port is open for it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from scripts.cli.connect.errors import ConnectError
from scripts.cli.connect.nodes import Node
from scripts.cli.connect.sessions import ssh_proxy

_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_MARK = "# written by `ultracluster connect"
"""How a file begins that this command may write over; what follows is the command that writes it anew."""


def ssh_config(
    nodes: Sequence[Node], first: Node, *, profile: str, region: str, user: str, command: str
) -> str:
    """Hosts PROFILE-NODE and one called as the profile, which is the node for people.

    `command` is what was typed, from `ultracluster connect` to before `--ssh-config`.
    """
    head = (
        f"# written by `{command} --ssh-config`; once more after nodes were replaced\n"
        "# aws and its session-manager-plugin carry the connection: nothing listens for it in the VPC\n"
    )
    blocks = [
        _host(
            f"{profile} {profile}-{node.name}" if node is first else f"{profile}-{node.name}",
            node,
            region,
            user,
        )
        for node in nodes
        if node.runs
    ]
    return "\n".join((head, *blocks))


def check_user(user: str) -> None:
    """ConnectError for what would be more than a word in ssh's configuration."""
    if _USER.fullmatch(user) is None:
        raise ConnectError(f"{user!r} is no account", "write a name of letters, digits, `.`, `_` and `-`")


def _host(names: str, node: Node, region: str, user: str) -> str:
    return (
        f"Host {names}\n"
        # the target's name stands for the host's: keys of hosts are kept by it, and a new node has another
        f"  HostName {node.instance_id}\n"
        f"  User {user}\n"
        f"  ProxyCommand {shlex.join(ssh_proxy(node, region))}\n"
        "  StrictHostKeyChecking accept-new\n"
        "  ServerAliveInterval 30\n"
    )


def write_ssh_config(text: str, path: str) -> Path:
    """Write it for its owner alone; ConnectError where there is a file that somebody else wrote."""
    file = Path(path).expanduser()
    try:
        if file.exists() and not file.read_text(encoding="utf-8").startswith(_MARK):
            raise ConnectError(
                f"{file} is there, and not ours", "name another file, and `Include` it in ~/.ssh/config"
            )
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = file.with_name(f".{file.name}.{os.getpid()}")
        new.write_text(text, encoding="utf-8")
        new.chmod(0o600)
        new.replace(file)
    except UnicodeDecodeError:
        raise ConnectError(f"{file} is there, and not ours", "name another file") from None
    except OSError as error:
        raise ConnectError(
            f"{file} cannot be written: {(error.strerror or str(error)).lower()}", "name another file"
        ) from None
    return file
