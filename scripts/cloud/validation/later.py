"""Detection of values that are known only after a deployment, and that rules do not check."""

from __future__ import annotations

from typing import Any

from scripts.cloud.template.functions import KNOWN_AFTER_APPLY

_MARKS = (KNOWN_AFTER_APPLY, "${", "{{resolve:")


def is_later(value: Any) -> bool:
    """Return whether a value, or a part of it, is known only after the deployment."""
    return isinstance(value, str) and any(mark in value for mark in _MARKS)
