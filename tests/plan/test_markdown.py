"""A plan as a comment on a pull request, read as GitHub's readers take Markdown."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from config.diagnostics import Diagnostic, Severity
from config.profile.source.reference import built_in_names
from scripts.cli.plan.as_markdown import as_markdown
from scripts.cli.plan.document import Document, Table, Writer
from scripts.tools.bench.grown import with_groups
from tests.plan.shown import document, flat, rendered, shown, written

OURS = {"details", "/details", "summary", "/summary", "b", "/b"}
"""The only HTML that we write into Markdown."""

TEXTS = st.text(max_size=40)


def tables(markdown: str) -> list[list[list[str]]]:
    """Cells by row by table, as a reader of GitHub's tables finds them."""
    found: list[list[list[str]]] = []
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
    for token, inner in pairwise(tokens):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type in ("td_open", "th_open"):
            said = (child.content for child in inner.children or ())
            found[-1][-1].append("".join(said))
    return found


def html_of(markdown: str) -> set[str]:
    """The names of HTML elements that a text opens or closes."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
    blocks = [t.content for t in tokens if t.type == "html_block"]
    inline = [c.content for t in tokens for c in t.children or () if c.type == "html_inline"]
    return {name for text in blocks + inline for name in re.findall(r"<(/?[a-z0-9]+)", text)}


def finding(number: int, severity: Severity, message: str = "wrong") -> Diagnostic:
    return Diagnostic(
        code=f"ABC{number % 1000:03}", severity=severity, path=f"a[{number}].b", message=message,
        hint="write another", source="https://docs.aws.amazon.com/x.html",
    )  # fmt: skip


def of(*diagnostics: Diagnostic, rows: int = 1, sections: int = 1, cell: str = "x") -> Document:
    out = Writer()
    out.line("what it is")
    for number in range(sections):
        out.heading(f"section {number}")
        out.table(("name", "figure"), [(cell, str(row)) for row in range(rows)], right=(1,))
    return out.document("mine", diagnostics)


@pytest.mark.parametrize("profile", built_in_names())
def test_its_tables_are_those_of_the_document(profile: str) -> None:
    expected = [part for section in document(profile).sections for part in section.parts]
    rows = [[part.headings, *part.rows] for part in expected if isinstance(part, Table)]
    found = tables(shown(profile, "markdown"))
    assert [[list(map(flat, row)) for row in table] for table in rows] == [
        [list(map(flat, row)) for row in table] for table in found
    ]


@pytest.mark.parametrize("profile", built_in_names())
def test_long_parts_are_behind_a_click_and_the_first_ones_are_not(profile: str) -> None:
    said = shown(profile, "markdown")
    assert html_of(said) <= OURS
    assert said.count("<details>") == said.count("</details>") > 0
    before = said.partition("<details>")[0]
    assert before.startswith(f"### Plan: `{profile}`\n")
    assert "Findings" in before or "No findings" in before


def test_errors_come_first_and_stay_in_sight() -> None:
    notes = [finding(n, Severity.NOTE) for n in range(3)]
    said = as_markdown(of(finding(900, Severity.ERROR), finding(901, Severity.WARNING), *notes))
    open_part, _, folded = said.partition("<details>")
    assert "**error ABC900**" in open_part
    assert "**warning ABC901**" in open_part
    assert "Findings: 1 error, 1 warning, 3 notes" in open_part
    assert folded.count("**note ABC") == 3


def test_a_profile_with_errors_is_reported_too(tmp_path: Path) -> None:
    said = shown(written(tmp_path, "region: nowhere\n"), "markdown")
    assert "fix them to see the plan" in said
    assert "**error " in said


@pytest.mark.long
@pytest.mark.parametrize(
    ("rows", "sections", "findings"),
    [(5000, 1, 3), (200, 40, 3), (1, 1, 2000), (3000, 30, 3000), (10, 4000, 3)],
)
def test_a_long_one_fits_a_comment_and_says_what_is_left_out(rows: int, sections: int, findings: int) -> None:
    grave = [finding(n, Severity.ERROR, "an error " + "x" * 300) for n in range(3)]
    notes = [finding(n, Severity.NOTE, "a note " + "y" * 300) for n in range(findings)]
    said = as_markdown(of(*grave, *notes, rows=rows, sections=sections, cell="z" * 30))
    assert len(said) <= 60_000
    assert len(said.encode("utf-16-le")) // 2 < 65_536
    assert "Shortened to fit in a comment. Run `ultracluster plan` to see the whole plan." in said
    assert said.count("**error ABC") == 3
    assert "more" in said or "Left out" in said
    assert said.count("<details>") == said.count("</details>")


def test_many_groups_fit_a_comment(tmp_path: Path) -> None:
    said = shown(with_groups(tmp_path, 64), "markdown")
    assert len(said) < 60_000
    assert "cut off" not in said


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), TEXTS, TEXTS)
@settings(max_examples=150, deadline=None)
def test_whatever_is_written_stays_a_text(rows: list[tuple[str, str]], name: str, text: str) -> None:
    out = Writer()
    out.line("what it is")
    out.heading(name)
    out.table(("one", "two"), rows)
    out.fact(name, text)
    said = as_markdown(out.document(text, ()))
    (found,) = tables(said)
    assert [len(row) for row in found] == [2] * (len(rows) + 1)
    assert html_of(said) <= OURS
    assert not re.search(r"(?<![`\w])@\w", re.sub(r"`+[^`]*`+", "", rendered(said).text)) or "`" in said


def test_texts_of_users_are_no_markup(tmp_path: Path) -> None:
    nasty = "</details><script>alert(1)</script> | [a](javascript:x) **b** @someone `c`"
    said = shown(written(tmp_path, f"waive: [{{code: CAP011, reason: '{nasty}'}}]\n"), "markdown")
    assert html_of(said) <= OURS
    assert flat(nasty) in flat(rendered(said).text)
    assert not [value for tag, name, value in rendered(said).attributes if "javascript" in value]
