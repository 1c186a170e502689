"""Bucket policies: moto denies by a statement whatever its condition; here a conditional one is not applied.

The usual condition refuses plain http, which is what the embedded cloud speaks.
"""

from __future__ import annotations

import json
from typing import Any

from moto.iam.access_control import IAMPolicy, PermissionResult
from moto.s3.models import FakeBucket

from .patch import add


def unconditional(policy: str | bytes) -> str:
    """The policy without its conditional statements."""
    body = json.loads(policy)
    statements = body.get("Statement", [])
    listed = statements if isinstance(statements, list) else [statements]
    return json.dumps(body | {"Statement": [s for s in listed if "Condition" not in s]})


def _get_permission(self: FakeBucket, action: str, resource: str) -> Any:
    if self.policy is None:
        return PermissionResult.NEUTRAL
    return IAMPolicy(unconditional(self.policy)).is_action_permitted(action, resource)


def install() -> None:
    """Make S3 use it."""
    add(
        FakeBucket,
        get_permission=_get_permission,
    )
