"""A plan as text: within the terminal, in colours only there, and nothing of a profile moves its cursor."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from config.profile.source.reference import built_in_names
from scripts.cli.plan.as_markdown import as_markdown
from scripts.cli.plan.as_text import write_text
from scripts.cli.plan.document import Writer
from scripts.cli.plan.html.page import as_page
from scripts.tools.bench.grown import with_groups
from tests.conftest import ROOT
from tests.plan.shown import shown
from tests.tables import each_row

COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-7]m")


def on_a_terminal(**environment: str) -> str:
    """What a process writes that has a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    environ = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "CI")}
    command = [sys.executable, "-m", "scripts.cli.main", "plan", "p6-b200"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environ | {"TERM": "xterm-256color"} | environment, stdout=theirs
    ) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            said += part
        assert process.wait(60) == 0
    os.close(ours)
    return said.decode()


@pytest.mark.long
def test_a_terminal_gets_colours_and_one_that_wants_none_gets_none() -> None:
    assert COLOUR.search(on_a_terminal())
    assert not COLOUR.search(on_a_terminal(NO_COLOR="1"))


@pytest.mark.long
def test_a_pipe_gets_no_colours_and_whole_lines() -> None:
    command = [sys.executable, "-m", "scripts.cli.main", "plan", "p6-b200"]
    environ = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
    said = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True).stdout
    assert "\x1b" not in said
    assert max(len(line) for line in said.splitlines()) > 120


@each_row("columns", [60, 80])
@each_row("profile", built_in_names())
def test_a_plan_fits_its_terminal(profile: str, columns: int) -> None:
    for line in shown(profile, "text", columns=columns).splitlines():
        assert len(line) <= columns or line.lstrip().startswith(("source:", "at:")), line


def test_many_groups_fit_too(tmp_path: Path) -> None:
    lines = shown(with_groups(tmp_path, 64), "text", columns=80).splitlines()
    assert [line for line in lines if len(line) > 80 and "source:" not in line] == []
    assert sum("train-63" in line for line in lines) > 2


def test_what_a_user_wrote_moves_no_cursor() -> None:
    out, nasty = Writer(), "red \x1b[31mand\a \u202eback\r\nmore"
    out.line(nasty)
    out.heading(nasty)
    out.fact(nasty, nasty)
    out.table((nasty,), [(nasty,)])
    out.verbatim(nasty)
    document = out.document(nasty, ())
    printed = io.StringIO()
    write_text(document, printed)
    for said in (printed.getvalue(), as_markdown(document), as_page(document, None, None)):
        assert not set(said) & set("\x1b\a\u202e\r")
        assert "\\x1b[31mand\\x07 \\u202eback  more" in said.replace("\\\\", "\\").replace("\\[", "[")


def test_facts_that_follow_each_other_have_one_column_of_names() -> None:
    said = shown("p6-b200", "text", columns=80)
    starts = [said.split(f"\n{name}")[1] for name in ("stored in ", "collected by ", "estimate ")]
    assert {len(name) + len(rest) - len(rest.lstrip()) for name, rest in
            zip(("stored in ", "collected by ", "estimate "), starts, strict=True)} == {15}  # fmt: skip


def test_a_figure_at_the_head_of_a_row_says_of_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    writer, out = Writer(), io.StringIO()
    writer.heading("fit")
    writer.table(("tensor", "pipe", "bound by"), [("8", "4", "w" * 70)], right=(0, 1))
    write_text(writer.document("mine", ()), out)
    assert out.getvalue().splitlines()[2].startswith("tensor 8  pipe 4")


def test_notes_of_prices_name_the_items_that_they_hold_of() -> None:
    # AMP's price is listed for us-west-2 itself
    lines = shown("p6-b200", "text").splitlines()
    note = next(text for text in lines if "price in us-east-1" in text)
    assert "all items except Prometheus samples: price in us-east-1" in note


def test_a_small_price_is_not_rounded_away() -> None:
    # 0.045 USD an hour, 32.85 in 730 hours
    row = next(text for text in shown("p6-b200", "text").splitlines() if text.startswith("NAT gateway  "))
    assert row.split()[-3:-1] == ["0.0450", "33"]
