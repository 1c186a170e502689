"""Pages as Chromium sees them: what they ask for, what is too wide, what axe-core finds."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.conftest import ROOT
from tests.programs import lacks, needed

_SECONDS = 280


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A page in a window of a width, in light or dark; where its picture and its print are written."""

    file: str
    width: int
    scheme: str
    picture: str | None = None
    pdf: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What there was to see.

    `wide` is what goes beyond the window, `crossed` and `overlapping` what touches in the picture;
    `pictures` counts those that are shown, `pages` the sheets of its print.
    """

    title: str
    wide: list[str]
    crossed: list[str]
    overlapping: list[str]
    console: list[str]
    requests: list[str]
    violations: list[str]
    pictures: int
    pages: int

    def faults(self) -> list[str]:
        """All that is wrong with the page."""
        return [*self.wide, *self.crossed, *self.overlapping, *self.console, *self.violations]

    def asked(self) -> list[str]:
        """What it asked for beside itself."""
        return [address for address in self.requests if not address.startswith("file:")] + self.requests[1:]


def look(views: Sequence[View], folder: Path) -> list[Seen]:
    """All views in one browser, whose files are in a folder of its own."""
    chromium, node, axe = needed("chromium"), needed("node"), ROOT / "node_modules/axe-core/axe.min.js"
    if not axe.is_file():
        lacks("needs axe-core: `make` installs it")
    script = Path(__file__).with_name("browser.mjs")
    done = subprocess.run(
        [str(node), str(script), str(chromium), str(axe), str(folder)],
        input=json.dumps([asdict(view) for view in views]),
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return [Seen(**one) for one in json.loads(done.stdout)]
