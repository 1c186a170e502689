"""End each text file on the command line with exactly one newline; exit status 1 if a file changed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path


def fixed(content: bytes) -> bytes:
    """Return the content with one newline at its end; an empty file remains empty."""
    body = content.rstrip(b"\r\n")
    return body + b"\n" if body else b""


def main(names: Sequence[str]) -> int:
    """Rewrite and print the files without one final newline; return the exit status."""
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
