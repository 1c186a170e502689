"""Where Helm takes each chart from, as the profile wants it and the lock file pins it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from config.catalog.kubernetes.charts import Chart, charts
from config.design.kubernetes.steps import Release, Step
from config.profile.kubernetes.charts import Charts, RegistryCharts, VendoredCharts
from config.profile.source.chart_folder import ChartFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartPlan:
    """Where one chart comes from.

    A registry has the whole path in `repository`, a chart repository the chart's name in `chart` beside it.
    `folder` is that of a vendored chart. `commit` and `path` say where the chart is in a Git `repository`,
    from which the deployment itself makes an archive of it.
    """

    name: str
    version: str
    repository: str | None = None
    chart: str | None = None
    folder: str | None = None
    commit: str | None = None
    path: str | None = None


def plan_chart(name: str, wanted: Charts, folder: ChartFolder | None) -> ChartPlan:
    """Where the chart of that name in the lock file comes from; `folder` is that of vendored charts."""
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
    """The charts that steps install, each once, in the order of the steps."""
    names = dict.fromkeys(step.chart for step in steps if isinstance(step, Release))
    return tuple(charts()[name] for name in names)
