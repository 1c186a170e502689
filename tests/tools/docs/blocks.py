"""The profiles that the documentation shows, as a user would save them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import yaml

from scripts.tools.docs.__main__ import ROOT

_BLOCK = re.compile(r"^```ya?ml\n(.*?)^```$", re.MULTILINE | re.DOTALL)

_FILE = re.compile(r"# ([a-z0-9-]+)\.yaml\n")


class Block(NamedTuple):
    """One YAML block: its page, its line, its text."""

    page: str
    line: int
    text: str

    @property
    def name(self) -> str:
        """What its file is called: as its first line says, else as the profile."""
        declared = _FILE.match(self.text)
        return declared[1] if declared else str(yaml.safe_load(self.text)["name"])

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.page}:{self.line}"

    def saved(self, folder: Path) -> str:
        """The profile's file in a folder where those of its page stand too, so that one can name another."""
        for other in BLOCKS:
            if other.page == self.page:
                (folder / f"{other.name}.yaml").write_text(other.text, encoding="utf-8")
        return f"{self.name}.yaml"


def _blocks() -> list[Block]:
    pages = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
    return [
        Block(page.relative_to(ROOT).as_posix(), text.count("\n", 0, block.start()) + 1, block[1])
        for page in pages
        for text in [page.read_text(encoding="utf-8")]
        for block in _BLOCK.finditer(text)
        # examples of rules are run as such, workflows are read as GitHub does
        if not block[1].startswith(("# bad\n", "# good\n", "# .github/workflows/"))
    ]


BLOCKS = _blocks()
