"""Parts that EKS operations share: find clusters and their contents, and return completed updates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from moto.core.responses import ActionResult

from scripts.cloud.extensions.records import Record, RefusedError, now
from scripts.cloud.extensions.services import Service


class EksRecords(Service):
    """Records of EKS."""

    name = host = "eks"
    invalid = "InvalidParameterException"

    def cluster(self, name: str) -> Record:
        """Return an existing cluster."""
        if name not in self.table("clusters"):
            raise RefusedError(self.not_found, f"No cluster found for name: {name}.")
        return self.table("clusters")[name]

    def own_cluster(self) -> Record:
        """Return the cluster that the request's path names."""
        return self.cluster(cast("str", self._get_param("clusterName")))

    def of_cluster(self, kind: str, cluster_name: str) -> Iterator[Record]:
        """Return the records of one type in a cluster."""
        return (r for r in list(self.table(kind).values()) if r["clusterName"] == cluster_name)

    def update(self, kind: str) -> ActionResult:
        """Return the response of a change that is complete."""
        update_id = self.next_id("update", 36)
        update = {"id": update_id, "status": "Successful", "type": kind, "createdAt": now(), "params": []}
        self.table("updates")[update_id] = update
        return ActionResult({"update": update})

    def describe_update(self) -> ActionResult:
        """DescribeUpdate."""
        update = self.table("updates").get(self._get_param("updateId"))
        if update is None:
            raise self.missing(self._get_param("updateId"))
        return ActionResult({"update": update})
