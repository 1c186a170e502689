"""UIDs of dashboards and data sources in Grafana."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

LONGEST_UID = 40
"""Source: https://grafana.com/docs/grafana/latest/developers/http_api/dashboard/"""

PREFIX = "ultracluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSources:
    """UIDs of the data sources, which dashboards use and which never change (OBS-13).

    `prometheus_type` is the plugin: `prometheus`, or the AMP plugin for AMP in Grafana 12 and newer.
    """

    prometheus: str = "prometheus"
    prometheus_type: str = "prometheus"
    cloudwatch: str = "cloudwatch"
    alertmanager: str = "alertmanager"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """UIDs of the dashboards, the folder and the data sources of one cluster.

    A workspace for one cluster uses short UIDs. In a Grafana that clusters share, each UID contains the cluster's
    name, so that a cluster does not overwrite objects of other clusters or users.
    """

    prefix: str = PREFIX
    sources: DataSources = DataSources()

    @classmethod
    def shared(cls, cluster: str, prometheus_type: str = "prometheus") -> Places:
        """Return the UIDs for a Grafana that several clusters share."""
        prefix = f"{PREFIX}-{_short(cluster)}"
        sources = DataSources(
            prometheus=f"{prefix}-metrics",
            prometheus_type=prometheus_type,
            cloudwatch=f"{prefix}-cloudwatch",
            alertmanager=f"{prefix}-alerts",
        )
        return cls(prefix=prefix, sources=sources)

    def uid(self, board: str) -> str:
        """Return the UID of a dashboard."""
        return f"{self.prefix}-{board}"


def _short(cluster: str) -> str:
    """Return the cluster's name, or a shortened name with a digest if it does not fit in a UID."""
    room = LONGEST_UID - len(f"{PREFIX}--cloudwatch")
    if len(cluster) <= room:
        return cluster
    digest = hashlib.sha256(cluster.encode()).hexdigest()[:6]
    return f"{cluster[: room - 7]}-{digest}"
