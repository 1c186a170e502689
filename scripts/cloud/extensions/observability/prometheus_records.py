"""What the operations of Amazon Managed Service for Prometheus share."""

from __future__ import annotations

from scripts.cloud.extensions.records import Record
from scripts.cloud.extensions.services import Service


class PrometheusRecords(Service):
    """The records of the service."""

    name = "amp"
    host = "aps"

    def workspace(self) -> Record:
        """The workspace that the request's path names."""
        workspace_id = self._get_param("workspaceId")
        if workspace_id not in self.table("workspaces"):
            raise self.missing(f"workspace {workspace_id}")
        return self.table("workspaces")[workspace_id]

    def uuid(self, prefix: str, kind: str) -> str:
        """An id in the form of the service: a prefix and a UUID."""
        digits = self.next_id(kind, 32)
        parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
        return "-".join((prefix, *parts))
