"""`python -m scripts.tools.prose.sample SEED`: print ten sentences of each type of text, for a review.

The types are guides (README and docs), diagnostics (the examples of the rules pages), output (the plan of a
built-in profile and the review of two snapshots, chosen by the seed) and docstrings.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from config.profile.source.reference import built_in_names
from scripts.tools.prose.texts import files, texts_of

ROOT = Path(__file__).resolve().parents[3]
_DIAGNOSTIC = re.compile(
    r"^(?:error|warning|note)\[(\w+)\] [^\n]*?: ([^\n]+)\n  hint: ([^\n]+)", re.MULTILINE
)
_SENTENCE = re.compile(r"[\"'(*`]*[A-Z`].{15,}[.!?][)*\"']*", re.DOTALL)
_VALUES = re.compile(r"source: |- \S+: .* to ")
"""Pattern of lines that are not sentences: sources, and old and new values of a property."""
_SEVERAL = 5
Sentence = tuple[str, str]


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Print the sentences, each with its place. For one commit, a seed always selects the same sentences."""
    if len(arguments) != 1:
        print("usage: python -m scripts.tools.prose.sample SEED", file=sys.stderr)
        return 2
    kinds: dict[str, Callable[[], Iterator[Sentence]]] = {
        "guides": lambda: _written(root, "docs"),
        "diagnostics": lambda: _diagnostics(root),
        "output": lambda: _output(root, Random(f"{arguments[0]} output")),
        "docstrings": lambda: _written(root, "docstrings"),
    }
    for kind, sentences in kinds.items():
        found = sorted(set(sentences()))
        print(f"{kind}:")
        for place, text in Random(f"{arguments[0]} {kind}").sample(found, min(10, len(found))):
            print(f"  {place}: {' '.join(text.split())}")
    return 0


def _written(root: Path, kind: str) -> Iterator[Sentence]:
    """Yield the complete sentences of the pages, or of the docstrings."""
    for file in files(root):
        if file.suffix != (".md" if kind == "docs" else ".py"):
            continue
        lines = file.read_text(encoding="utf-8").split("\n")
        for text in texts_of(root, file):
            if text.kind == kind and not lines[text.line - 1].startswith("|"):
                for start, plain in text.sentences():
                    sentence = text.text[start : start + len(plain)].strip()
                    if _SENTENCE.fullmatch(sentence) and "```" not in sentence:
                        yield f"{text.file}:{text.line + text.text.count(chr(10), 0, start)}", sentence


def _diagnostics(root: Path) -> Iterator[Sentence]:
    for page in sorted((root / "docs/reference/rules").glob("*.md")):
        for code, message, hint in _DIAGNOSTIC.findall(page.read_text(encoding="utf-8")):
            yield code, f"{message}; hint: {hint}"


def _output(root: Path, random: Random) -> Iterator[Sentence]:
    """Yield five lines of a plan and five of a review, without table rows and property values."""
    snapshots = [str(file) for file in sorted((root / "tests/snapshots").glob("*.json"))]
    pair = random.sample(snapshots, 2)
    for command in (["plan", random.choice(built_in_names())], ["review", "--region", "us-west-2", *pair]):
        program = Path(sys.executable).with_name("ultracluster")
        out = subprocess.run([program, *command], capture_output=True, text=True, check=False).stdout
        place = " ".join(Path(word).name for word in command)
        lines = [re.split(r" {2,}", line.strip()) for line in out.split("\n")]
        found = sorted(
            {
                " | ".join(columns)
                for columns in lines
                if len(columns) <= 2 and len(columns[-1].split()) > _SEVERAL
                if not _VALUES.match(columns[0])
            }
        )
        yield from ((place, line) for line in random.sample(found, min(5, len(found))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
