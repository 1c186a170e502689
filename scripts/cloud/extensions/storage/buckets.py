"""Buckets: policies without their conditions, and access logs that are configured but not delivered.

moto denies by a statement whatever its condition; the usual condition refuses plain http, which is what the
embedded cloud speaks. And it delivers access logs at once, so that no log bucket could be deleted.
"""

from __future__ import annotations

import json
from typing import Any

from moto.iam.access_control import IAMPolicy, PermissionResult
from moto.s3.models import FakeBucket, S3Backend

from scripts.cloud.extensions.patch import add


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


def _may_deliver_logs(target_bucket: FakeBucket, target_prefix: str | None) -> bool:
    """Whether a log bucket lets logs in: moto reads its policy wrongly, and none are delivered."""
    return True


def _deliver_no_logs(self: S3Backend, request: Any, bucket_name: str) -> None:
    """Access logs come late and by chance on AWS: here never."""


def install() -> None:
    """Make S3 use it."""
    add(
        FakeBucket,
        get_permission=_get_permission,
        _log_permissions_enabled_policy=staticmethod(_may_deliver_logs),
    )
    add(S3Backend, log_incoming_request=_deliver_no_logs)
