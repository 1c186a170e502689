"""The page of a plan in headless Chromium: its width, its picture, what it asks for, what axe-core finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.cli.plan.command import show_plan
from tests.plan.page.browser import Seen, View, look
from tests.plan.page.clusters import UNDER, clusters

FIRST = ("p6-b200", "p6-b200-eks", "wrong")
"""`make test-all` looks at the others."""

WINDOWS = ((390, "light"), (1440, "dark"))
MORE_WINDOWS = ((390, "dark"), (1440, "light"), (800, "light"), (1000, "dark"))


def seen(folder: Path, names: tuple[str, ...], windows: tuple[tuple[int, str], ...]) -> dict[str, Seen]:
    """What Chromium shows of the pages, by the page, the width and the colours."""
    known = clusters(folder)
    for name in names:
        profile, under = known[name]
        show_plan(profile, orchestrator=under, form="html", output=str(folder / f"{name}.html"))
    views = {
        f"{name} {width} {scheme}": View(file=str(folder / f"{name}.html"), width=width, scheme=scheme)
        for name in names
        for width, scheme in windows
    }
    return dict(zip(views, look([*views.values()], folder / "browser"), strict=True))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    folder = tmp_path_factory.mktemp("pages")
    return seen(folder, FIRST, WINDOWS)


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    folder = tmp_path_factory.mktemp("pages")
    rest = tuple(name for name in clusters(folder) if name not in FIRST)
    return seen(folder, rest, WINDOWS) | seen(folder, FIRST[:1], MORE_WINDOWS)


def reported(found: dict[str, Seen], of: Callable[[Seen], list[str]]) -> dict[str, list[str]]:
    return {name: said for name, one in found.items() if (said := of(one))}


@pytest.mark.long
def test_every_page_is_there_and_shows_one_picture(first: dict[str, Seen]) -> None:
    assert len(first) == len(FIRST) * len(WINDOWS)
    assert {one.pictures for name, one in first.items() if not name.startswith("wrong")} == {1}
    assert {one.pictures for name, one in first.items() if name.startswith("wrong")} == {0}


def test_no_page_writes_to_the_console(first: dict[str, Seen]) -> None:
    assert reported(first, lambda one: one.console) == {}


def test_no_page_asks_for_anything_but_itself(first: dict[str, Seen]) -> None:
    assert {len(one.requests) for one in first.values()} == {1}
    assert {address.partition(":")[0] for one in first.values() for address in one.requests} == {"file"}


def test_nothing_of_a_page_is_wider_than_the_window(first: dict[str, Seen]) -> None:
    assert reported(first, lambda one: one.wide) == {}


def test_no_text_of_a_picture_leaves_its_box_or_lies_over_another(first: dict[str, Seen]) -> None:
    assert reported(first, lambda one: one.crossed) == {}
    assert reported(first, lambda one: one.overlapping) == {}


def test_axe_finds_nothing_in_light_and_in_dark(first: dict[str, Seen]) -> None:
    assert reported(first, lambda one: one.violations) == {}


@pytest.mark.long
def test_the_pages_of_all_other_clusters_are_as_good(others: dict[str, Seen]) -> None:
    assert len(others) > len(UNDER) * len(WINDOWS) + len(MORE_WINDOWS)
    assert {one.pictures for one in others.values()} == {1}
    for of in (Seen.faults, Seen.asked):
        assert reported(others, of) == {}


@pytest.mark.long
def test_a_page_is_printed_within_few_sheets_in_light(tmp_path: Path) -> None:
    page = tmp_path / "p6-b200.html"
    show_plan("p6-b200", orchestrator=None, form="html", output=str(page))
    pdf = tmp_path / "p6-b200.pdf"
    (printed,) = look([View(file=str(page), width=1440, scheme="dark", pdf=str(pdf))], tmp_path / "browser")
    assert 3 <= printed.pages <= 8


BAD = """<!DOCTYPE html><html><head><title>bad</title></head><body>
<script>console.error("said"); document.title = "ran"; throw new Error("thrown")</script>
<img src="http://127.0.0.1:9/nothing.png"><p style="width:2000px;color:#eee;background:#fff">too wide</p>
<svg class="picture" width="300" height="90"><rect class="frame" x="0" y="0" width="60" height="40"></rect>
<text x="30" y="20">much wider than its frame</text><text x="32" y="22">over it</text></svg></body></html>
"""


@pytest.fixture
def bad(tmp_path: Path) -> Seen:
    page = tmp_path / "bad.html"
    page.write_text(BAD, encoding="utf-8")
    (found,) = look([View(file=str(page), width=390, scheme="light")], tmp_path / "browser")
    return found


@pytest.mark.long
def test_what_is_wrong_with_a_page_is_seen(bad: Seen) -> None:
    assert bad.title == "ran"
    assert "said" in bad.console
    assert any("Uncaught" in said for said in bad.console)
    assert "http://127.0.0.1:9/nothing.png" in bad.requests
    assert any(said.startswith("P.") for said in bad.wide)
    assert any("much wider than its frame crosses" in said for said in bad.crossed)
    assert bad.overlapping == ["much wider than its frame and over it"]
    assert {said.partition(":")[0] for said in bad.violations} >= {
        "color-contrast",
        "html-has-lang",
        "image-alt",
    }
