"""Search of texts for the terms of `words.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from scripts.tools.prose.texts import KINDS, Text

_LIST = Path(__file__).with_name("words.yaml")


class Hit(NamedTuple):
    """A listed term in a text, with its line."""

    text: Text
    line: int
    word: str
    found: str
    instead: str

    def __str__(self) -> str:
        found = " ".join(self.found.split())[:40]
        return f"{self.text.file}:{self.line}: {self.text.kind}: {self.word}: '{found}': write {self.instead}"


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of `words.yaml`: a pattern, and the replacement to recommend."""

    name: str
    pattern: re.Pattern[str]
    instead: str
    kinds: frozenset[str]
    sentence: bool


@cache
def rows() -> tuple[Row, ...]:
    """Return the rows of `words.yaml`."""
    return tuple(
        Row(
            name=name, pattern=re.compile(row["pattern"], re.IGNORECASE), instead=row["instead"],
            kinds=frozenset(row.get("in", KINDS)), sentence=part == "sentences",
        )
        for part in ("words", "sentences")
        for name, row in _list()[part].items()
    )  # fmt: skip


@cache
def _list() -> dict[str, dict[str, dict[str, str]]]:
    listed: dict[str, dict[str, dict[str, str]]] = yaml.safe_load(_LIST.read_text(encoding="utf-8"))
    return listed


@cache
def _kept() -> tuple[tuple[str, str], ...]:
    return tuple((row["file"], row["text"]) for row in yaml.safe_load(_LIST.read_text("utf-8"))["kept"])


def hits(texts: Iterable[Text]) -> Iterator[Hit]:
    """Yield each listed term in these texts."""
    for text in texts:
        if (text.file, text.text) in _kept():
            continue
        plain, sentences = text.plain, tuple(text.sentences())
        for row in rows():
            if text.kind not in row.kinds:
                continue
            for start, part in sentences if row.sentence else ((0, plain),):
                for found in row.pattern.finditer(part):
                    line = text.line + text.text.count("\n", 0, start + found.start())
                    yield Hit(text, line, row.name, part if row.sentence else found[0], row.instead)
