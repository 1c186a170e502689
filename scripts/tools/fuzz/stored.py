"""Cases in folders, written by the generating process and read by the synthesizing processes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from scripts.tools.fuzz.case import Case

_ABOUT = "case.json"
_FILES = "files"


def store(cases: Sequence[Case], folder: Path) -> None:
    """Write each case into its own folder, named by the case's number."""
    for number, case in enumerate(cases):
        here = folder / f"{number:05}"
        (here / _FILES).mkdir(parents=True)
        case.write(here / _FILES)
        about = {"given": case.profile, "orchestrator": case.orchestrator, "about": list(case.about)}
        (here / _ABOUT).write_text(json.dumps(about), encoding="utf-8")


def stored(folder: Path) -> Iterator[tuple[Case, Path]]:
    """Yield the cases of a folder, each with the folder of its files."""
    for here in sorted(folder.iterdir()):
        about = json.loads((here / _ABOUT).read_text(encoding="utf-8"))
        root = here / _FILES
        files = {
            file.relative_to(root).as_posix(): file.read_bytes()
            for file in sorted(root.rglob("*"))
            if file.is_file()
        }
        case = Case(
            files=files,
            profile=about["given"],
            orchestrator=about["orchestrator"],
            about=tuple(about["about"]),
        )
        yield case, root
