"""Records that the operations of Amazon Managed Service for Prometheus share."""

from __future__ import annotations

from uuid import UUID

from scripts.cloud.extensions.records import Record
from scripts.cloud.extensions.services import Service


class PrometheusRecords(Service):
    """Records of the service."""

    name = "amp"
    host = "aps"

    def workspace(self) -> Record:
        """Return the workspace in the path of the request."""
        workspace_id = self._get_param("workspaceId")
        return self.found("workspaces", workspace_id, f"workspace {workspace_id}")

    def uuid(self, prefix: str, kind: str) -> str:
        """Return an id in the format of the service: a prefix and a UUID."""
        return f"{prefix}-{UUID(self.next_id(kind, 32))}"
