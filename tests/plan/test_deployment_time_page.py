"""docs/guides/deployment-time.md says what the catalogue and the plan say."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.durations import Duration, durations
from config.cluster import load_cluster
from config.design.report.deployment import DeploymentReport, deployment_report
from scripts.tools.docs.__main__ import ROOT

PAGE = (ROOT / "docs/guides/deployment-time.md").read_text(encoding="utf-8")
ACTIONS = ("create", "update", "delete")


def table(heading: str) -> Iterator[list[str]]:
    """The rows of the table that begins with this cell."""
    lines = PAGE[PAGE.index(f"| {heading} |") :].splitlines()[2:]
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def seconds_of(row: Duration) -> str:
    return ", ".join(f"{action} {row.seconds[action]:.0f}" for action in ACTIONS if action in row.seconds)


def test_every_figure_is_on_the_page_with_its_sources() -> None:
    shown = {row[0].strip("`"): row[1:] for row in table("resource")}
    assert {name: cells[0] for name, cells in shown.items()} == {
        name: seconds_of(row) for name, row in durations().rows.items()
    }
    for name, row in durations().rows.items():
        _, said, sources = shown[name]
        assert said == (row.said or "one value")
        for key in row.sources:
            address = catalog().sources[key].partition(" ")[0]
            assert f"[{key}](" in sources
            assert not address.startswith("https://") or f"({address})" in sources


def test_what_has_no_figure_is_on_the_page() -> None:
    shown = [
        line
        for line in PAGE[PAGE.index("## Steps without a published duration") :].splitlines()
        if line.startswith("- ")
    ]
    assert shown == [
        f"- `{name}`: {', '.join(action for action in ACTIONS if action in actions)}"
        for name, actions in sorted(durations().unpublished.items())
    ]


def test_every_long_chain_is_on_the_page_with_its_reason() -> None:
    shown = [(cells[0].replace("`", "").split(", "), cells[1]) for cells in table("chain")]
    assert shown == [(list(chain), because) for chain, because in durations().longer.items()]


def planned(name: str, kind: str) -> DeploymentReport:
    design = load_cluster(name, orchestrator=None if kind == "-" else kind).design
    assert design is not None
    found = deployment_report(design)
    assert found is not None
    return found


def test_the_built_in_profiles_take_what_the_page_says() -> None:
    rows = list(table("profile"))
    assert len(rows) == 7
    for profile, kind, total, longest, ratio, decides in rows:
        plan = planned(profile.strip("`"), kind)
        assert (total, longest) == (f"{plan.total_s:.0f}", f"{plan.longest_s:.0f}")
        assert ratio == f"{plan.total_s / plan.longest_s:.2f}"
        least = plan.total_s / 20
        assert decides == ", ".join(s.what for s in plan.path if s.end_s - s.begin_s >= least)
