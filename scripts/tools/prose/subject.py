"""Check a commit's subject: imperative, a capital first letter, no final period, at most 72 characters."""

from __future__ import annotations

import re
import sys
from pathlib import Path

_MOST = 72
_OWN = re.compile(r"(?:Merge|Revert|fixup!|squash!|amend!) ")
"""Prefixes of subjects that git writes automatically."""
_EXCEPTIONS = frozenset(
    [
        "need",
        "embed",
        "feed",
        "seed",
        "speed",
        "bring",
        "string",
        "focus",
        "process",
        "bypass",
        "pass",
        "press",
    ]
)


def problems(subject: str) -> list[str]:
    """Return the errors of a subject; an empty list if it is correct."""
    if _OWN.match(subject):
        return []
    first = subject.split(" ")[0]
    word = first.lower()
    found = []
    if len(subject) > _MOST:
        found.append(f"{len(subject)} characters, at most {_MOST}")
    if not re.match(r"[A-Z][A-Za-z-]*$", first):
        found.append(f"`{first}` must contain only letters and start with a capital")
    elif word not in _EXCEPTIONS and re.search(r"(?:ed|ing|[^s]s)$", word):
        found.append(f"`{first}` is not in the imperative, such as Add, Fix or Rewrite")
    if subject.endswith("."):
        found.append("a period at the end")
    return found


def main(arguments: list[str]) -> int:
    """Check a commit message's first line that is not a comment; return 1 if it has an error."""
    lines = Path(arguments[0]).read_text(encoding="utf-8").split("\n")
    subject = next((line.rstrip() for line in lines if line.strip() and not line.startswith("#")), "")
    found = problems(subject)
    for problem in found:
        print(f"commit subject: {problem}", file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
