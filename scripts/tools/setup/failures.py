"""What a failed set-up step means, and what to do about it, from the output of pip or npm."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


class SetupError(Exception):
    """A step failed in a way that the user can act on; `hint` says how."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, kw_only=True)
class Cause:
    """One known cause: the pattern that shows it, and the words for it."""

    pattern: str
    message: str
    hint: str


#: The first cause whose pattern occurs counts. `{registry}` is the step's registry, PyPI or npm.
CAUSES: Sequence[Cause] = (
    Cause(
        pattern=r"DO NOT MATCH THE HASHES|EINTEGRITY",
        message="a package differs from its hash in the lock file",
        hint="it was not installed; check which index pip or npm uses, and clear its cache",
    ),
    Cause(
        pattern=r"No space left on device|ENOSPC",
        message="the disk is full",
        hint="free about 2 GB, or point TMPDIR to a larger disk",
    ),
    Cause(
        pattern=r"not a trusted or secure host",
        message="pip ignores its package index, which is neither https nor trusted",
        hint="set PIP_TRUSTED_HOST to the host of the index, or use its https address, then run make again",
    ),
    Cause(
        pattern=r"NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError"
        r"|ConnectionError|Connection (refused|reset|broken)|HTTP error|HTTPError"
        r"|ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH"
        r"|code E(401|403|404|407|5\d\d)\b|_CERT_",
        message="it needs the package registry ({registry}), which could not be reached",
        hint="check the network and proxy, or point pip and npm to a mirror, then run make again",
    ),
    Cause(
        pattern=r"No matching distribution found",
        message="a locked package has no wheel for this Python and platform on {registry}",
        hint="use Python 3.11 to 3.13 on Linux or macOS: make clean, then make PYTHON=python3.13",
    ),
)


def explain(title: str, registry: str, output: str) -> SetupError:
    """Turns the output of a failed program into one sentence and one hint.

    Args:
        title: the step, as its progress line calls it.
        registry: the package registry that the step needs, empty for none.
        output: what the program printed.
    """
    for cause in CAUSES:
        if (registry or "{registry}" not in cause.message) and re.search(cause.pattern, output):
            return SetupError(f"{title}: {cause.message.format(registry=registry)}", cause.hint)
    return SetupError(f"{title}: see the lines above", "make clean, then make again, starts from nothing")
