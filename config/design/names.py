"""Names and versions that follow from what cannot change in place."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def fingerprint(inputs: Any, length: int = 8) -> str:
    """A short hexadecimal word for a JSON-ready value; the same on every machine."""
    text = json.dumps(inputs, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def replaceable_name(name: str, create_only: Any) -> str:
    """A physical name that changes with the inputs that CloudFormation can only replace.

    A fixed name collides with itself when a create-only property changes, since the new resource is made
    before the old one goes (failure report SLURM-12).
    """
    return f"{name}-{fingerprint(create_only, 6)}"
