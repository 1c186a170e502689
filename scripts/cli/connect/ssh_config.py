"""ssh configuration with a host for each node; ssh connects through Session Manager, without an open port."""

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
"""Start of a file that this command may overwrite."""


def ssh_config(
    nodes: Sequence[Node], first: Node, *, profile: str, region: str, user: str, command: str
) -> str:
    """Return the configuration: a host PROFILE-NODE for each running node.

    The default node is also named PROFILE. `command` is the user's command without `--ssh-config`.
    """
    head = (
        f"# written by `{command} --ssh-config`; run it again after nodes are replaced\n"
        "# aws and session-manager-plugin carry the connection: no port is open in the VPC\n"
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
    """Raise ConnectError for a user name with characters that ssh configurations do not allow."""
    if _USER.fullmatch(user) is None:
        raise ConnectError(f"{user!r} is not a user name", "use only letters, digits, `.`, `_` and `-`")


def _host(names: str, node: Node, region: str, user: str) -> str:
    return (
        f"Host {names}\n"
        # the instance id is the host name, so that ssh stores a separate host key for a new node
        f"  HostName {node.instance_id}\n"
        f"  User {user}\n"
        f"  ProxyCommand {shlex.join(ssh_proxy(node, region))}\n"
        "  StrictHostKeyChecking accept-new\n"
        "  ServerAliveInterval 30\n"
    )


def write_ssh_config(text: str, path: str) -> Path:
    """Write the file, readable only by its owner; raises ConnectError if another program wrote the file."""
    file = Path(path).expanduser()
    try:
        if file.exists() and not file.read_text(encoding="utf-8").startswith(_MARK):
            raise ConnectError(
                f"{file} exists, and ultracluster did not write it",
                "use another file, and `Include` it in ~/.ssh/config",
            )
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = file.with_name(f".{file.name}.{os.getpid()}")
        new.write_text(text, encoding="utf-8")
        new.chmod(0o600)
        new.replace(file)
    except UnicodeDecodeError:
        raise ConnectError(f"{file} exists, and ultracluster did not write it", "use another file") from None
    except OSError as error:
        raise ConnectError(
            f"{file} cannot be written: {(error.strerror or str(error)).lower()}", "use another file"
        ) from None
    return file
