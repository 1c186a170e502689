"""Markdown: tables, folded parts, findings, and texts that mean themselves in it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from config.diagnostics import Diagnostic

MAX_CHARACTERS = 60_000
"""GitHub takes comments of up to 65,536 characters; a workflow may add a few of its own."""
_WORD = re.compile(r"[^\s`]+")


def table(head: Sequence[str], rows: Iterable[Sequence[object]], right: Container[int] = ()) -> str:
    """A table; a bar in a cell is escaped, and the columns in `right` end at the right."""
    rule = ["---:" if number in right else "---" for number in range(len(head))]
    return "\n".join(map(_row, (head, rule, *rows)))


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def folded(summary: str, inside: str) -> str:
    """A part behind a click; Markdown inside needs an empty line before it, the summary is HTML."""
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def finding(found: Diagnostic, at: str = "") -> str:
    """One finding as an item of a list; `at` is the place in its file."""
    address = found.source.startswith("https://") and not set(found.source) & set(" ()<>")
    source = f"[source]({found.source})" if address else f"source: {plain(found.source)}"
    mark = "" if found.waived is None else "waived "
    lines = [f"- **{mark}{found.severity} {found.code}** {code(found.path)}: {plain(found.message)}{at}"]
    if found.waived is not None:
        lines.append(f"  waived: {plain(found.waived)}")
    lines.append(f"  hint: {plain(found.hint)} ({source})" if found.hint else f"  {source}")
    return "  \n".join(lines)


def code(text: str) -> str:
    """Text as code: nothing in it is Markdown, HTML or a mention of somebody."""
    text = " ".join(text.split())
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def plain(text: str) -> str:
    """A sentence with its own code in backticks; the rest of Markdown's signs mean themselves."""
    text = " ".join(text.split())
    # a run of several backticks is a fence of its own length, which pairs with another than the next one
    if text.count("`") % 2 or "``" in text:
        text = text.replace("`", "'")
    parts = text.split("`")
    parts[::2] = [_WORD.sub(_without_mention, _escaped(part)) for part in parts[::2]]
    return "`".join(parts)


def _without_mention(word: re.Match[str]) -> str:
    return f"`{word[0]}`" if "@" in word[0] else word[0]


def _escaped(text: str) -> str:
    return escaped_html(re.sub(r"([\\*_\[\]#~$])", r"\\\1", text))


def escaped_html(text: str) -> str:
    """Text of which nothing is an element of HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
