"""S3 bucket policies without conditional statements, and access logs that are not delivered.

moto ignores the condition of a Deny statement. A usual statement denies plain HTTP, which the embedded cloud
uses; moto would deny every request. moto also delivers access logs at once, so that a log bucket would never
be empty and could not be deleted.
"""

from __future__ import annotations

import json
from typing import Any

from moto.iam.access_control import IAMPolicy, PermissionResult
from moto.s3.models import FakeBucket, S3Backend

from scripts.cloud.extensions.patch import add


def unconditional(policy: str | bytes) -> str:
    """Return the policy without its conditional statements."""
    body = json.loads(policy)
    statements = body.get("Statement", [])
    listed = statements if isinstance(statements, list) else [statements]
    return json.dumps(body | {"Statement": [s for s in listed if "Condition" not in s]})


def _get_permission(self: FakeBucket, action: str, resource: str) -> Any:
    if self.policy is None:
        return PermissionResult.NEUTRAL
    return IAMPolicy(unconditional(self.policy)).is_action_permitted(action, resource)


def _may_deliver_logs(target_bucket: FakeBucket, target_prefix: str | None) -> bool:
    """Accept every log bucket: moto evaluates bucket policies wrongly, and no logs are delivered."""
    return True


def _deliver_no_logs(self: S3Backend, request: Any, bucket_name: str) -> None:
    """Do not deliver access logs, which AWS delivers late."""


def install() -> None:
    """Install the operations in moto's S3."""
    add(
        FakeBucket,
        get_permission=_get_permission,
        _log_permissions_enabled_policy=staticmethod(_may_deliver_logs),
    )
    add(S3Backend, log_incoming_request=_deliver_no_logs)
