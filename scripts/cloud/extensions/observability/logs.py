"""CloudWatch Logs features that moto lacks: KMS keys of log groups, and metric filters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.core.responses import EmptyResult
from moto.logs.exceptions import ResourceNotFoundException
from moto.logs.models import LogGroup, LogsBackend
from moto.logs.responses import LogsResponse

from scripts.cloud.extensions.existence import key_exists
from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import RefusedError, parsed

_create_group: Callable[..., LogGroup] = LogsBackend.create_log_group
_delete_group = LogsBackend.delete_log_group
_put_filter = LogsBackend.put_metric_filter


def _require_key(backend: LogsBackend, key: str | None) -> None:
    if key and not key_exists(backend.account_id, backend.region_name, key):
        message = f"The specified KMS key does not exist or cannot be used: {key}"
        raise RefusedError("InvalidParameterException", message)


@adds(LogsBackend, "create_log_group")
def _create_log_group(self: LogsBackend, name: str, tags: dict[str, str], **settings: Any) -> LogGroup:
    _require_key(self, settings.get("kmsKeyId"))
    return _create_group(self, name, tags, **settings)


@adds(LogsBackend, "delete_log_group")
def _delete_log_group(self: LogsBackend, log_group_name: str) -> None:
    """Delete a log group with its metric filters."""
    _delete_group(self, log_group_name)
    kept = [f for f in self.filters.metric_filters if f["logGroupName"] != log_group_name]
    self.filters.metric_filters = kept


@adds(LogsBackend, "put_metric_filter")
def _put_metric_filter(self: LogsBackend, name: str, pattern: str, group: str, transformations: str) -> None:
    """Create a metric filter, or change an existing one."""
    if group not in self.groups:
        raise ResourceNotFoundException("The specified log group does not exist.")
    self.delete_metric_filter(name, group)
    _put_filter(self, name, pattern, group, transformations)


def _log_group(self: LogsResponse) -> LogGroup:
    name = parsed(self).get("logGroupName")
    group = self.logs_backend.groups.get(name or "")
    if group is None:
        raise ResourceNotFoundException("The specified log group does not exist.")
    return group


@adds(LogsResponse, "associate_kms_key")
def _associate_kms_key(self: LogsResponse) -> EmptyResult:
    group, key = _log_group(self), parsed(self)["kmsKeyId"]
    _require_key(self.logs_backend, key)
    group.kms_key_id = key
    return EmptyResult()


@adds(LogsResponse, "disassociate_kms_key")
def _disassociate_kms_key(self: LogsResponse) -> EmptyResult:
    _log_group(self).kms_key_id = None
    return EmptyResult()
