"""Markdown output: tables, folded parts, findings, and escaped texts."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from config.diagnostics import Diagnostic

MAX_CHARACTERS = 60_000
"""Maximum length of the output. GitHub accepts 65,536 characters in a comment; a workflow may add text."""
_WORD = re.compile(r"[^\s`]+")


def table(head: Sequence[str], rows: Iterable[Sequence[object]], right: Container[int] = ()) -> str:
    """Return a table; bars in cells are escaped, and the columns in `right` are aligned right."""
    rule = ["---:" if number in right else "---" for number in range(len(head))]
    return "\n".join(map(_row, (head, rule, *rows)))


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def folded(summary: str, inside: str) -> str:
    """Return a folded part. `summary` is HTML; `inside` is Markdown, which needs an empty line before it."""
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def finding(found: Diagnostic, at: str = "") -> str:
    """Return one finding as a list item; `at` is its location in the file."""
    address = found.source.startswith("https://") and not set(found.source) & set(" ()<>")
    source = f"[source]({found.source})" if address else f"source: {plain(found.source)}"
    mark = "" if found.waived is None else "waived "
    lines = [f"- **{mark}{found.severity} {found.code}** {code(found.path)}: {plain(found.message)}{at}"]
    if found.waived is not None:
        lines.append(f"  waived: {plain(found.waived)}")
    lines.append(f"  hint: {plain(found.hint)} ({source})" if found.hint else f"  {source}")
    return "  \n".join(lines)


def code(text: str) -> str:
    """Return text as code, so that Markdown, HTML and mentions in it have no effect."""
    text = " ".join(text.split())
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def plain(text: str) -> str:
    """Return a sentence with code in backticks and all other Markdown escaped."""
    text = " ".join(text.split())
    # several backticks in a row are a fence of that length, so they are replaced
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
    """Return text with HTML escaped."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
