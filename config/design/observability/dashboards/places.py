"""Where dashboards are in a Grafana, and where they find their data."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

LONGEST_UID = 40
"""Source: https://grafana.com/docs/grafana/latest/developers/http_api/dashboard/"""

PREFIX = "ultracluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSources:
    """Data sources by their uid, which dashboards name and which never changes (OBS-13).

    `prometheus_type` is the plugin: `prometheus`, or from version 12 of Grafana on, for AMP, its own one.
    """

    prometheus: str = "prometheus"
    prometheus_type: str = "prometheus"
    cloudwatch: str = "cloudwatch"
    alertmanager: str = "alertmanager"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Uids of dashboards, folder and data sources of one cluster.

    A workspace of the cluster's own has the short ones. A Grafana that clusters share has the cluster's name
    in all of them: two clusters never write over each other's, nor over what others have put there.
    """

    prefix: str = PREFIX
    sources: DataSources = DataSources()

    @classmethod
    def shared(cls, cluster: str, prometheus_type: str = "prometheus") -> Places:
        """Those in a Grafana that is not the cluster's own."""
        prefix = f"{PREFIX}-{_short(cluster)}"
        sources = DataSources(
            prometheus=f"{prefix}-metrics",
            prometheus_type=prometheus_type,
            cloudwatch=f"{prefix}-cloudwatch",
            alertmanager=f"{prefix}-alerts",
        )
        return cls(prefix=prefix, sources=sources)

    def uid(self, board: str) -> str:
        """The uid of a dashboard."""
        return f"{self.prefix}-{board}"


def _short(cluster: str) -> str:
    """A cluster's name, or as much of it as a uid holds, told apart by a digest."""
    room = LONGEST_UID - len(f"{PREFIX}--cloudwatch")
    if len(cluster) <= room:
        return cluster
    digest = hashlib.sha256(cluster.encode()).hexdigest()[:6]
    return f"{cluster[: room - 7]}-{digest}"
