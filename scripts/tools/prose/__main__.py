"""`python -m scripts.tools.prose`: find the terms of `words.yaml` in texts, and count them.

With paths, print each listed term in these files. Without paths, compare the counts for each type and folder
with counts.json: a count must not rise.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from scripts.tools.prose.hits import Hit, hits
from scripts.tools.prose.texts import KINDS, files, texts_of

ROOT = Path(__file__).resolve().parents[3]
COUNTS = "scripts/tools/prose/counts.json"
Counts = dict[str, dict[str, int]]


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Return 1 if a count exceeds its limit in counts.json, or if a given file contains a term."""
    parser = argparse.ArgumentParser(prog="python -m scripts.tools.prose", description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="list the terms in these files or folders")
    parser.add_argument("--kind", choices=KINDS, help="check only texts of this type")
    parser.add_argument("--write", action="store_true", help="lower the numbers in counts.json")
    options = parser.parse_args(arguments)
    paths = [Path(path).resolve().relative_to(root).as_posix() for path in options.paths]
    found = [
        hit
        for file in files(root, paths)
        for hit in hits(texts_of(root, file))
        if options.kind in (None, hit.text.kind)
    ]
    if paths:
        for hit in sorted(found, key=lambda hit: (hit.text.file, hit.line)):
            print(hit)
        print(f"{len(found)} to rewrite", file=sys.stderr)
        return bool(found)
    return _ratchet(found, root / COUNTS, write=options.write, only=options.kind)


def _ratchet(found: list[Hit], file: Path, *, write: bool, only: str | None) -> int:
    declared: Counts = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    now: Counts = {
        kind: dict(sorted(Counter(hit.text.area for hit in found if hit.text.kind == kind).items()))
        for kind in KINDS
    }
    above = {
        (kind, area)
        for kind, areas in now.items()
        for area, count in areas.items()
        if count > declared.get(kind, {}).get(area, 0)
    }
    for hit in found:
        if (hit.text.kind, hit.text.area) in above:
            print(hit)
    for kind, area in sorted(above):
        number = declared.get(kind, {}).get(area, 0)
        print(f"{area}: {now[kind][area]} {kind} to rewrite, {number} in {COUNTS}: see the list above")
    if write and not only:
        _write(file, declared, now)
    print(", ".join(f"{kind} {sum(areas.values())}" for kind, areas in now.items()) + " to rewrite")
    return bool(above)


def _write(file: Path, declared: Counts, now: Counts) -> None:
    """Lower the stored counts to the new ones, and omit zeros. Blank lines prevent merge conflicts."""
    lower = {
        kind: {
            area: min(number, now[kind].get(area, 0))
            for area, number in declared.get(kind, {}).items()
            if now[kind].get(area, 0)
        }
        for kind in KINDS
    }
    text = json.dumps({kind: areas for kind, areas in lower.items() if areas}, indent=1)
    file.write_text(text.replace(",\n", ",\n\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
