"""Causes of a failed set-up step, found in the output of pip or npm, with their solutions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


class SetupError(Exception):
    """A set-up step that failed; `hint` is the instruction to the user."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, kw_only=True)
class Cause:
    """One known cause: the pattern in the output, the message and the hint."""

    pattern: str
    message: str
    hint: str


#: The first cause whose pattern matches is used. `{registry}` is the registry of the step, PyPI or npm.
CAUSES: Sequence[Cause] = (
    Cause(
        pattern=r"DO NOT MATCH THE HASHES|EINTEGRITY",
        message="a package differs from its hash in the lock file",
        hint="check which index pip or npm uses, and clear its cache",
    ),
    Cause(
        pattern=r"No space left on device|ENOSPC",
        message="the disk is full",
        hint="free about 2 GB, or set TMPDIR to a folder on a larger disk",
    ),
    Cause(
        pattern=r"not a trusted or secure host",
        message="pip ignores its package index, because it does not use https and is not trusted",
        hint="set PIP_TRUSTED_HOST to the host of the index, or use its https URL; then run `make` again",
    ),
    Cause(
        pattern=r"NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError"
        r"|ConnectionError|Connection (refused|reset|broken)|HTTP error|HTTPError"
        r"|ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH"
        r"|code E(401|403|404|407|5\d\d)\b|_CERT_",
        message="the package registry ({registry}) is not reachable",
        hint="check the network and the proxy, or configure a mirror for pip and npm; then run `make` again",
    ),
    Cause(
        pattern=r"No matching distribution found",
        message="a locked package has no wheel for this Python and platform on {registry}",
        hint="use Python 3.11 to 3.13 on Linux or macOS: `make clean`, then `make PYTHON=python3.13`",
    ),
)


def explain(title: str, registry: str, output: str) -> SetupError:
    """Return the message and the hint for the output of a failed program.

    Args:
        title: the title of the step in its progress line.
        registry: the package registry that the step needs; empty without a registry.
        output: the output of the program.
    """
    for cause in CAUSES:
        if (registry or "{registry}" not in cause.message) and re.search(cause.pattern, output):
            return SetupError(f"{title}: {cause.message.format(registry=registry)}", cause.hint)
    return SetupError(f"{title}: see the lines above", "run `make clean`, then `make` again")
