"""A plan in each of its forms, for tests."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stderr, redirect_stdout
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock

from markdown_it import MarkdownIt

from config.cluster import Cluster, load_cluster
from config.design.report.plan import report
from scripts.cli.plan.build import document_of
from scripts.cli.plan.command import show_plan
from scripts.cli.plan.document import Document, Fact, Line, Part, Table
from scripts.cli.shell import SHELL_RULES


def cluster_of(profile: str, under: str | None = None) -> Cluster:
    return load_cluster(profile, orchestrator=under, further=SHELL_RULES)


def document(profile: str, under: str | None = None) -> Document:
    cluster = cluster_of(profile, under)
    assert cluster.design is not None
    return document_of(report(cluster.design), cluster.diagnostics)


def shown(profile: str, form: str, *, under: str | None = None, columns: int = 200) -> str:
    out = io.StringIO()
    with (
        mock.patch.dict(os.environ, {"COLUMNS": str(columns), "NO_COLOR": "1"}),
        redirect_stdout(out),
        redirect_stderr(io.StringIO()),
    ):
        show_plan(profile, orchestrator=under, form=form)
    return out.getvalue()


def written(folder: Path, text: str, name: str = "mine") -> str:
    """The path of a profile that builds on p6-b200."""
    file = folder / f"{name}.yaml"
    file.write_text(f"extends: p6-b200\nname: {name}\n{text}", encoding="utf-8")
    return str(file)


def texts(parts: tuple[Part, ...]) -> list[str]:
    """Every text of a section but those to copy."""
    found: list[str] = []
    for part in parts:
        if isinstance(part, Line):
            found.append(part.text)
        elif isinstance(part, Fact):
            found += [part.name, part.text]
        elif isinstance(part, Table):
            found += [*part.headings, *(cell for row in part.rows for cell in row)]
    return found


class Read(HTMLParser):
    """What a page says, which elements it has, and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] != ["style"]:
            self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if tag == "style":
            self.tags.append("/style")

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


def read(page: str) -> Read:
    reader = Read()
    reader.feed(page)
    return reader


def rendered(markdown: str) -> Read:
    """Markdown as GitHub's readers take it: CommonMark with tables, HTML between it."""
    return read(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))


def flat(text: str) -> str:
    return " ".join(text.replace("`", "").split())
