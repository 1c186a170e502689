"""AWS CLI commands that open a session, a tunnel or ssh to a node."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from scripts.cli.connect.errors import ConnectError
from scripts.cli.connect.nodes import Node

SSH = "AWS-StartSSHSession"
PORT = "AWS-StartPortForwardingSession"
HOST = "AWS-StartPortForwardingSessionToRemoteHost"
"""Session documents that AWS provides: https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-sessions-start.html"""

_PLUGIN = "https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-install-plugin.html"
_CLI = "https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html"
_FORWARD = re.compile(r"([0-9]{1,5}):([0-9]{1,5})(?::([A-Za-z0-9.-]+))?")
_LARGEST_PORT = 65535


@dataclass(frozen=True, slots=True, kw_only=True)
class Tunnel:
    """A tunnel from a local port to a port of the node, or of a host that the node can reach."""

    local: int
    remote: int
    host: str | None = None


def read_tunnel(text: str) -> Tunnel:
    """Parse LOCAL:REMOTE or LOCAL:REMOTE:HOST; raises ConnectError for any other text."""
    found = _FORWARD.fullmatch(text)
    if found is None:
        raise ConnectError(
            f"{text!r} is not a tunnel",
            "write LOCAL:REMOTE, such as 3000:3000, or LOCAL:REMOTE:HOST for a host that the node can reach",
        )
    local, remote = int(found[1]), int(found[2])
    for port in (local, remote):
        if not 0 < port <= _LARGEST_PORT:
            raise ConnectError(f"{port} is not a port", f"ports are 1 to {_LARGEST_PORT}")
    return Tunnel(local=local, remote=remote, host=found[3])


def shell(node: Node, region: str, document: str | None) -> list[str]:
    """Return the command that opens a shell; with the cluster's session document, the session is logged."""
    return [*_start(node, region), *(["--document-name", document] if document else [])]


def forward(node: Node, region: str, tunnel: Tunnel) -> list[str]:
    """Return the command that forwards a local port to the node, or to a host that the node can reach."""
    parameters = {"portNumber": [str(tunnel.remote)], "localPortNumber": [str(tunnel.local)]}
    if tunnel.host is not None:
        parameters["host"] = [tunnel.host]
    document = PORT if tunnel.host is None else HOST
    return [*_start(node, region), "--document-name", document, "--parameters", json.dumps(parameters)]


def ssh_proxy(node: Node, region: str) -> list[str]:
    """Return the ProxyCommand of ssh; `%p` is ssh's port."""
    return [*_start(node, region), "--document-name", SSH, "--parameters", "portNumber=%p"]


def _start(node: Node, region: str) -> list[str]:
    return ["aws", "ssm", "start-session", "--region", region, "--target", node.target]


def check_programs(*names: str) -> None:
    """Raise ConnectError with a download link if a program is missing."""
    sources = {"aws": _CLI, "session-manager-plugin": _PLUGIN}
    for name in names:
        if shutil.which(name) is None:
            raise ConnectError(
                f"{name} is not installed or not on the PATH", f"install it: {sources.get(name, name)}"
            )


def become(command: list[str], environment: Mapping[str, str]) -> NoReturn:
    """Replace this process by the command, which then owns the terminal and its signals."""
    check_programs("aws", "session-manager-plugin")
    os.execvpe(command[0], command, {**os.environ, **environment})
