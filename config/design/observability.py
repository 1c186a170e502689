"""What the observability layer is made of, beside what the profile says."""

from __future__ import annotations

GRAFANA_VERSION = "10.4"
"""Version of a new Amazon Managed Grafana workspace. It can be raised later but never lowered, so it is the
oldest that Grafana's alerting and our dashboards need
(https://docs.aws.amazon.com/grafana/latest/userguide/AMG-workspace-version-update.html)."""
