"""The page of a plan: whole in one file, escaped, and its picture drawn from the design."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.design.report.deployment import DeploymentReport, DeploymentStep
from config.design.report.plan import report
from config.profile.source.reference import built_in_names
from scripts.cli.main import main
from scripts.cli.plan.command import show_plan
from scripts.cli.plan.diagram.draw import diagram
from scripts.cli.plan.diagram.text_width import fitted, width_of, wrapped
from scripts.cli.plan.html.parts import key_of
from scripts.cli.plan.html.timeline import timeline
from scripts.tools.bench.grown import with_groups, with_hyperpod_nodes
from tests.calls import calls_of
from tests.conftest import ROOT
from tests.plan.shown import cluster_of, read, shown, written

MEGABYTE = 1_000_000
NASTY = '</title><script>alert(1)</script><img src=https://example.com/x.png> & "quoted"'


def drawn(profile: str, under: str | None = None, width: int = 1120) -> str:
    design = cluster_of(profile, under).design
    assert design is not None
    return diagram(design, report(design), width)


@pytest.mark.parametrize("profile", built_in_names())
def test_a_page_asks_for_nothing_beside_itself(profile: str) -> None:
    page = read(shown(profile, "html"))
    assert not set(page.tags) & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    addresses = [value for tag, name, value in page.attributes if name in ("src", "href")]
    assert {a.partition("/")[0] for a in addresses if not a.startswith("#")} <= {"https:"}
    assert {tag for tag, name, _ in page.attributes if name in ("src", "href")} == {"a"}
    assert not re.search(r"url\((?!#)|@import", shown(profile, "html"))
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]


@pytest.mark.parametrize("profile", built_in_names())
def test_every_link_within_a_page_leads_somewhere_and_no_name_is_there_twice(profile: str) -> None:
    page = read(shown(profile, "html"))
    names = [value for _, name, value in page.attributes if name == "id"]
    assert len(names) == len(set(names))
    within = {value[1:] for _, name, value in page.attributes if name == "href" and value.startswith("#")}
    labelled = {value for _, name, value in page.attributes if name == "aria-labelledby"}
    assert within | labelled <= set(names)


def test_texts_of_users_are_no_markup(tmp_path: Path) -> None:
    page = read(shown(written(tmp_path, f"waive: [{{code: CAP011, reason: '{NASTY}'}}]\n"), "html"))
    assert NASTY in page.text
    assert not {"script", "img"} & set(page.tags)
    refused = read(shown(written(tmp_path, f"region: '{NASTY}'\n"), "html"))
    assert "fix them to see the plan" in refused.text
    assert not {"script", "img"} & set(refused.tags)


@pytest.mark.parametrize(
    ("profile", "under", "nodes", "gpus", "cards", "servers"),
    [
        ("p6-b200", None, 18, 8, 8, 5),
        ("p6-b200", "eks", 18, 8, 8, 5),
        ("p6e-gb200", None, 19, 4, 17, 17),
        ("p5", None, 18, 8, 32, None),
        ("p5-dev", None, 3, 1, 1, None),
    ],
)
def test_the_picture_has_every_node_gpu_card_and_server(
    profile: str, under: str | None, nodes: int, gpus: int, cards: int, servers: int | None
) -> None:
    svg = drawn(profile, under)
    assert svg.count('class="node"') == nodes
    assert svg.count('class="gpu"') == gpus
    assert svg.count('class="card ') == cards
    if servers is not None:
        assert svg.count('class="server ') == servers


def test_the_picture_tells_ultraservers_layouts_and_places() -> None:
    ultra = drawn("p6e-gb200")
    assert "u-p6e-gb200x72: one NVLink domain of 72 GPUs" in ultra
    assert ultra.count('class="spare"') == 1
    assert "17 nodes, 1 spare node" in ultra
    eks = drawn("p6-b200", "eks")
    assert eks.count('class="card both"') == 1  # card 0 has the address and an EFA
    assert eks.count('class="card efa"') == 7
    for reported in ("VPC 10.0.0.0/16", "zone usw2-az2", "subnet public", "Amazon EKS", "mounted at /fsx",
                 "data repository of /fsx/datasets", "metrics path", "EKS control plane: 6"):  # fmt: skip
        assert reported in eks


def test_an_attached_cluster_shows_whose_its_network_is() -> None:
    attached = drawn("p6-b200-cluster")
    assert ">from the data profile</text>" in attached
    assert ">new</text>" not in attached


def test_a_square_represents_several_nodes_of_a_large_group(tmp_path: Path) -> None:
    svg = drawn(with_hyperpod_nodes(tmp_path, 2000))
    assert "1 square = 32 nodes" in svg
    assert svg.count('class="node"') == 63 + 1  # 2,000 nodes by 32, and the controller
    groups = drawn(with_groups(tmp_path, 64))
    assert "more groups; the tables below list all of them" in groups


def test_the_page_of_2000_nodes_or_of_64_groups_is_small(tmp_path: Path) -> None:
    for profile in (with_hyperpod_nodes(tmp_path, 2000), with_groups(tmp_path, 64)):
        assert len(shown(profile, "html").encode()) < MEGABYTE // 4


def test_the_page_of_2000_nodes_takes_fewer_calls_than_its_text(tmp_path: Path) -> None:
    profile = with_hyperpod_nodes(tmp_path, 2000)
    shown(profile, "text")  # what is read once is read
    assert calls_of(lambda: shown(profile, "html")) <= calls_of(lambda: shown(profile, "text"))


def test_the_address_budget_is_that_of_the_design() -> None:
    design = cluster_of("p6-b200", "eks").design
    assert design is not None
    assert design.network is not None
    page = read(shown("p6-b200", "html", under="eks")).text
    for subnet in design.network.subnets:
        needed = design.addresses.needed(subnet.name)
        assert f"in {subnet.zone}: {needed:,} of {subnet.usable_addresses:,} addresses" in page
    for use in design.addresses.uses:
        assert f"{use.consumer}: {use.total:,}" in page


def step(
    resource: str, what: str, begin_s: float, end_s: float, *, critical: bool = False, published: bool = True
) -> DeploymentStep:
    return DeploymentStep(
        resource=resource, what=what, begin_s=begin_s, end_s=end_s, critical=critical, published=published,
        waits_because="",
    )  # fmt: skip


def chart_of(total_s: float, *steps: DeploymentStep) -> str:
    return timeline(DeploymentReport(total_s=total_s, longest_s=total_s, steps=steps))


def test_the_critical_path_is_drawn_to_scale_and_marked() -> None:
    steps = (
        step("AWS::EC2::VPC", "the VPC", 0, 100, critical=True),
        step("AWS::FSx::FileSystem", "the <file system>", 100, 1000, critical=True),
        step("AWS::X::Y", "unknown", 100, 100, published=False),
        *(step("AWS::X::Z", f"short {number}", 0, 1) for number in range(60)),
    )
    chart = chart_of(1000, *steps)
    assert 'style="left:10.000%;width:90.000%"' in chart
    assert "the &lt;file system&gt;" in chart
    assert chart.count('class="critical"') == 2
    assert "no published duration" in chart
    assert chart.count("<li ") == 40
    assert "and 23 shorter steps" in chart
    assert chart_of(0) == ""


@pytest.mark.parametrize(
    ("total", "ticks"), [(45, "40 s"), (1392, "20 min"), (8000, "120 min"), (900000, "192 h")]
)
def test_the_axis_has_round_moments(total: float, ticks: str) -> None:
    chart = chart_of(total, step("AWS::X::Y", "it", 0, total, critical=True))
    assert 2 <= chart.count('<span style="left:') <= 8
    assert f">{ticks}</span>" in chart


@given(st.text(max_size=80), st.floats(20, 400), st.integers(1, 4))
def test_no_text_of_a_picture_is_wider_than_its_room(text: str, width: float, most: int) -> None:
    lines = wrapped(text, 11, width, most=most)
    assert len(lines) <= most
    assert all(width_of(line, 11) <= max(width, width_of("…", 11)) for line in lines)
    assert fitted(text, 11, 10_000) == text


@given(st.text(max_size=30))
def test_a_heading_makes_a_name_for_addresses(title: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key_of(title))


def test_a_page_for_a_terminal_says_how_to_write_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert show_plan("clusters/mine.yaml", orchestrator=None, form="html") == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "--output mine.html" in said.err


@pytest.mark.parametrize("form", ["text", "markdown", "json", "html"])
def test_every_form_can_be_written_to_a_file(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "plan"
    assert main(["plan", "p6-b200", "--format", form, "--output", str(file)]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.replace("\n", " ").split() == ["wrote", str(file)]
    assert main(["plan", "p6-b200", "--format", form]) == 0
    assert capsys.readouterr().out == file.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", "p6-b200", "--format", "html", "--output", str(tmp_path / "no" / "file")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: cannot write ")
    assert "hint: use a file in a folder that exists and is writable" in said


def test_no_text_is_written_for_a_profile_with_errors(tmp_path: Path) -> None:
    wrong, file = written(tmp_path, "region: nowhere\n"), tmp_path / "plan"
    assert main(["plan", wrong, "--output", str(file)]) == 1
    assert not file.exists()
    assert main(["plan", wrong, "--format", "html", "--output", str(file)]) == 1
    assert "fix them to see the plan" in file.read_text(encoding="utf-8")


@pytest.mark.long
def test_text_loads_nothing_of_the_other_forms() -> None:
    code = (
        "import sys\nfrom scripts.cli.main import main\nassert main(['plan', 'p6-b200']) == 0\n"
        "others = ('scripts.cli.plan.html', 'scripts.cli.plan.diagram', 'scripts.cli.plan.as_markdown',\n"
        "          'scripts.cli.review', 'scripts.cli.plan.schema', 'html')\n"
        "print([name for name in sys.modules if name.startswith(others)], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
