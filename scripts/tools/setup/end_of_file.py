"""Gives each text file named on the command line exactly one newline at its end; exit 1 if any changed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path


def fixed(content: bytes) -> bytes:
    """The content with one newline at its end; an empty file stays empty."""
    body = content.rstrip(b"\r\n")
    return body + b"\n" if body else b""


def main(names: Sequence[str]) -> int:
    """Rewrites the files that need it and names them; returns the exit status."""
    status = 0
    for path in map(Path, names):
        content = path.read_bytes()
        if content != fixed(content):
            path.write_bytes(fixed(content))
            print(f"fixed {path}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
