"""Page docs/reference/charts.md: the charts of the lock file and their sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from config.catalog import catalog
from config.catalog.kubernetes.charts import Chart
from scripts.tools.docs.markdown import code_list, page, source, table

_INTRO = Path(__file__).with_name("charts_intro.md")
_KINDS = {
    "oci": "registry",
    "https": "chart repository",
    "git": "Git repository",
    "manifest": "plain manifest",
}


def charts_page() -> str:
    """Return the page."""
    charts = sorted(catalog().charts.values(), key=lambda chart: chart.name)
    head = ("Chart", "Version", "From", "Kubernetes", "Namespace", "Digest")
    return page(
        "Charts",
        _INTRO.read_text(encoding="utf-8").strip(),
        table(head, (_row(chart) for chart in charts)),
        *(part for chart in charts for part in _section(chart)),
    )


def _row(chart: Chart) -> tuple[str, ...]:
    return (
        f"[{chart.name}](#{chart.name})",
        chart.version if chart.commit is None else f"{chart.version} at `{chart.commit[:12]}`",
        f"{_KINDS[chart.kind]} `{chart.repository}`",
        _versions(chart),
        f"`{chart.namespace}`",
        f"`{chart.digest[:19]}`" if chart.digest else "not locked",
    )


def _versions(chart: Chart) -> str:
    lowest, highest = chart.kubernetes_min, chart.kubernetes_max
    if lowest and highest:
        return f"{lowest} to {highest}"
    return f"{lowest} or newer" if lowest else "not specified"


def _section(chart: Chart) -> Iterator[str]:
    yield f"## {chart.name}"
    lines = [
        f"- Custom resources: {code_list(chart.brings)}" if chart.brings else "",
        *(
            f"- Also installs `{other}` {'unless' if found.default else 'if'} `{found.key}` is "
            f"{'false' if found.default else 'true'}."
            for other, found in chart.bundles.items()
        ),
        *(f"- Conflicts with `{other}`: {why}." for other, why in chart.conflicts.items()),
        f"- Images: {code_list(chart.images)}" if chart.images else "- Images: not locked",
        *(f"- {note[:1].upper()}{note[1:]}." for note in chart.notes),
        f"- Licence {chart.licence}. Source: "
        + ", ".join(source(catalog().sources[key]) for key in chart.sources["*"]),
    ]
    yield "\n".join(line for line in lines if line)
