"""A case: the files that a user would have written, and the control plane they would try them under."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from config.cluster import Cluster, load_cluster

MAIN = "my.yaml"
"""The file that is given to the command line."""


@dataclass(frozen=True)
class Case:
    """Files by name, `my.yaml` among them; `about` says how it was made."""

    files: Mapping[str, bytes]
    orchestrator: str | None = None
    given: str | None = MAIN
    about: tuple[str, ...] = field(default=(), compare=False)

    @contextmanager
    def written(self) -> Iterator[Path]:
        """The files in a folder of their own."""
        with TemporaryDirectory(prefix="fuzz-") as name:
            folder = Path(name)
            self.write(folder)
            yield folder

    def write(self, folder: Path) -> None:
        """Write the files into a folder."""
        for name, content in self.files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    def load(self, folder: Path) -> Cluster:
        """The cluster of the case, whose files lie in a folder."""
        return load_cluster(self.given, orchestrator=self.orchestrator, base=folder)

    def text(self, name: str = MAIN) -> str:
        """One of the files as text; bytes that are none are replaced, and a missing file is empty."""
        return self.files.get(name, b"").decode("utf-8-sig", errors="replace")

    def as_pasted(self) -> str:
        """The case as it is reported: files ready to be pasted into an editor."""
        lines = [f"# made by: {', '.join(self.about)}"] if self.about else []
        if self.orchestrator is not None:
            lines.append(f"# --orchestrator {self.orchestrator}")
        if self.given != MAIN:
            lines.append(f"# given: {self.given!r}")
        for name in self.files:
            text = self.text(name)
            plain = text.isprintable() or all(c.isprintable() or c == "\n" for c in text)
            lines += [f"# {name}" + ("" if plain else " (as a Python literal)")]
            lines += [text.rstrip("\n") if plain else repr(self.files[name])]
        return "\n".join(lines)
