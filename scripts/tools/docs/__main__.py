"""`python -m scripts.tools.docs`: write the generated pages, or list stale pages with `--check`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.tools.docs.pages import PAGES

ROOT = Path(__file__).resolve().parents[3]


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Write or check the pages; return 1 if `--check` finds a stale page."""
    parser = argparse.ArgumentParser(prog="python -m scripts.tools.docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="do not write; fail if a page is stale")
    check = parser.parse_args(arguments).check
    texts = {name: write() for name, write in PAGES.items()}
    stale = [name for name, text in texts.items() if _stands(root / name) != text]
    for name in stale:
        if check:
            print(f"{name} is stale: run `make docs`", file=sys.stderr)
        else:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(texts[name], encoding="utf-8", newline="\n")
            print(f"wrote {name}")
    return 1 if check and stale else 0


def _stands(file: Path) -> str | None:
    return file.read_bytes().decode() if file.is_file() else None


if __name__ == "__main__":
    sys.exit(main())
