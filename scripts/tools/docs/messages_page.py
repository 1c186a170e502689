"""The page of messages: texts of the commands and rules that no other generated page lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from scripts.tools.docs.markdown import page
from scripts.tools.prose.texts import Text, files, texts_of

_ROOT = Path(__file__).resolve().parents[3]
_FOLDERS = ("config", "constructs", "stacks", "scripts/cli", "scripts/cloud")
_OTHER_PAGES = ("config/catalog/data", "config/design/observability", "config/profile")
_OTHER_LABELS = frozenset({"ages", "asks", "cure", "description", "gives", "look", "meaning", "reads", "why"})


def messages_page() -> str:
    """Return the page: one list for each folder, and one line for each message with its hint."""
    seen: set[str] = set()
    areas: dict[str, list[str]] = {}
    for file in files(_ROOT, _FOLDERS):
        if file.suffix == ".py":
            for area, line in _lines(file):
                if line not in seen:
                    seen.add(line)
                    areas.setdefault(area, []).append(line)
    about = "Messages, hints and labels by folder; `…` is a value. [Rules](rules.md) explains the codes."
    return page("Messages", about, *(f"## {area}\n\n" + "\n".join(lines) for area, lines in areas.items()))


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the page's lines for the messages of one file, each with the file's folder."""
    code, message = "", ""
    for text in texts_of(_ROOT, file):
        if re.fullmatch(r"[A-Z]{3}\d{3}", text.label):
            code = f"`{text.label}`: "
        elif text.kind == "strings" and _is_here(text):
            phrase = " ".join(text.text.split())
            if text.label == "hint" and message:
                message += f" *Hint:* {phrase}"
                continue
            if message:
                yield text.area, message
            message = f"- {code}{phrase}"
    if message:
        yield Text("strings", file.relative_to(_ROOT).as_posix(), 1, "").area, message


def _is_here(text: Text) -> bool:
    other = text.file.startswith(_OTHER_PAGES) and not text.file.startswith("config/profile/source")
    return not other and text.label not in _OTHER_LABELS
