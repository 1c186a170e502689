"""Generator of docs/reference/dashboards.md, the panels of each dashboard."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog.observability.metrics import metrics
from config.design.observability.dashboards.parts import Panel
from config.design.observability.dashboards.plan import boards
from config.design.observability.model import GpuNodes, Measured
from config.design.observability.names import keys_of
from scripts.tools.docs.markdown import code_list, page, table

_INTRO = """\
This page lists the dashboards and their panels. A cluster has the panels whose metrics it collects. Other
panels, and rows and dashboards without panels, are left out. The tests query each panel in a Prometheus
server. No panel may be empty for any control plane or GPU family.

- A Lambda function of the stack loads the dashboards and their data sources into the Amazon Managed Grafana
  workspace, or into your existing Grafana. It creates a temporary account in Grafana for this.
- If you delete the stack, the loaded dashboards are deleted. Dashboards that you saved under other names are
  retained.
- Each deployment overwrites the dashboards, so you cannot edit them in place. Save a copy instead.
- In a workspace for one cluster, the paths are `/d/ultracluster-gpu` and similar. The data sources are
  `prometheus`, `alertmanager` and `cloudwatch`.
- In a Grafana that clusters share, each path and data source contains the cluster's name, such as
  `/d/ultracluster-NAME-gpu`.
- In tables, each node links to its details, and each job or pod links to its training dashboard.
- If AMP evaluates the rules, every graph shows critical alerts as annotations."""

_NODES = (
    GpuNodes(
        instance_type="p5.48xlarge",
        architecture="hopper",
        gpus=8,
        efa_devices=32,
        dollars_per_gpu_hour=1.0,
    ),
)


def dashboards_page() -> str:
    """Return the page, with a section for each dashboard."""
    return page("Dashboards", _INTRO, *_sections())


def _sections() -> Iterator[str]:
    slurm, kubernetes = (boards(measured) for measured in _clusters())
    for one, other in zip(slurm, kubernetes, strict=True):
        yield f"## {one.title}"
        yield f"`{one.board}`: {one.description}"
        rows = {
            (row.title, panel.title): panel
            for board in (one, other)
            for row in board.rows
            for panel in row.panels
        }
        yield table(
            ("row", "panel", "description", "metrics"),
            [(row, panel.title, panel.description, _asks(panel)) for (row, _), panel in rows.items()],
        )


def _clusters() -> tuple[Measured, Measured]:
    """Return two clusters that together have all panels; the EKS cluster has no exporter for FSx metrics."""
    everything = frozenset(metrics().exporters)
    return (
        Measured(cluster="", control_plane="pcs", exporters=everything, gpu_nodes=_NODES),
        Measured(cluster="", control_plane="eks", exporters=everything - {"fsx"}, gpu_nodes=_NODES),
    )


def _asks(panel: Panel) -> str:
    if panel.source == "cloudwatch":
        return "CloudWatch"
    return code_list({key for query in panel.queries for key in keys_of(query.expression)})
