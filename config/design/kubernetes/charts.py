"""Source of each Helm chart, from the profile's `charts` and the lock file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from config.catalog.kubernetes.charts import Chart, charts
from config.design.kubernetes.steps import Release, Step
from config.profile.kubernetes.charts import Charts, RegistryCharts, VendoredCharts
from config.profile.source.chart_folder import ChartFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartPlan:
    """Source of one chart.

    For a registry, `repository` is the whole path. For a chart repository, `chart` is the name of the chart.
    `folder` is the folder of a vendored chart. For a Git `repository`, the deployment packages the chart from
    `commit` and `path`.
    """

    name: str
    version: str
    repository: str | None = None
    chart: str | None = None
    folder: str | None = None
    commit: str | None = None
    path: str | None = None


def plan_chart(name: str, wanted: Charts, folder: ChartFolder | None) -> ChartPlan:
    """Return the source of a chart in the lock file; `folder` is the folder of vendored charts."""
    chart = charts()[name]
    version = chart.version
    if isinstance(wanted, RegistryCharts):
        return ChartPlan(name=name, version=version, repository=f"oci://{wanted.registry}/{name}")
    if isinstance(wanted, VendoredCharts):
        assert folder is not None
        return ChartPlan(name=name, version=version, folder=str(folder.folder / name))
    if chart.kind == "git":
        return ChartPlan(
            name=name, version=version, repository=chart.repository, commit=chart.commit, path=chart.path
        )
    alone = name if chart.kind == "https" else None
    return ChartPlan(name=name, version=version, repository=chart.repository, chart=alone)


def charts_of(steps: Iterable[Step]) -> tuple[Chart, ...]:
    """Return the charts of the steps, each once, in the order of the steps."""
    names = dict.fromkeys(step.chart for step in steps if isinstance(step, Release))
    return tuple(charts()[name] for name in names)
