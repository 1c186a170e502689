"""docs/reference/dashboards.md: every dashboard with its panels."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog.observability.metrics import metrics
from config.design.observability.dashboards.parts import Panel
from config.design.observability.dashboards.plan import boards
from config.design.observability.model import GpuNodes, Measured
from config.design.observability.names import keys_of
from scripts.tools.docs.markdown import page, table, words

_INTRO = """\
What a person on call looks at. A cluster has the panels whose metrics it has: the others, and rows and
dashboards without any panel, are left out. Every panel of every control plane and GPU family is asked of a
real Prometheus in the tests, and none may be empty there.

- They are loaded into the workspace of Amazon Managed Grafana, or into a Grafana of your own, with their data
  sources, by a function of the stack. It lets itself in for as long as it works, and what it loaded goes with
  the stack; dashboards that you save under other names stay.
- A deployment writes over them, so they cannot be edited in place: save a copy.
- In a workspace of the cluster's own they are at `/d/ultracluster-gpu` and so on, with the data sources
  `prometheus`, `alertmanager` and `cloudwatch`. In a Grafana that clusters share the cluster's name is in all
  of these (`/d/ultracluster-NAME-gpu`), so that no cluster writes over another's.
- Tables lead from a node to its details, and from a job or pod to its training dashboard.
- Critical alerts are marks on every graph, where AMP evaluates the rules."""

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
    """A section for each dashboard."""
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
            ("row", "panel", "what it tells", "metrics"),
            [(row, panel.title, panel.description, _asks(panel)) for (row, _), panel in rows.items()],
        )


def _clusters() -> tuple[Measured, Measured]:
    """Clusters that have everything between them; one has no exporter of FSx's metrics."""
    everything = frozenset(metrics().exporters)
    return (
        Measured(cluster="", control_plane="pcs", exporters=everything, gpu_nodes=_NODES),
        Measured(cluster="", control_plane="eks", exporters=everything - {"fsx"}, gpu_nodes=_NODES),
    )


def _asks(panel: Panel) -> str:
    if panel.source == "cloudwatch":
        return "CloudWatch"
    return words({key for query in panel.queries for key in keys_of(query.expression)})
