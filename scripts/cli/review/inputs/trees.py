"""Where files are read from: this machine's folders, or one revision of a git repository."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol

from scripts.cli.review.errors import UnusableError

from .git import Repository

# CloudFormation takes templates of up to 1 MB from S3:
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
MAX_BYTES = 1_048_576
_LFS = "version https://git-lfs"

Kind = Literal["file", "folder"]


class Tree(Protocol):
    """A tree of files; paths have slashes and are seen from its root."""

    def kind(self, path: str) -> Kind | None:
        """What is there; None where nothing is."""

    def read(self, path: str) -> bytes:
        """The content of a file; raises for one that cannot be read."""

    def label(self, path: str) -> str:
        """A path as messages name it."""


class Disk:
    """Files of this machine, seen from a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def kind(self, path: str) -> Kind | None:
        """What is there."""
        found = self.root / path
        if found.is_dir():
            return "folder"
        return "file" if found.exists() else None

    def read(self, path: str) -> bytes:
        """The content of a file."""
        try:
            if not (self.root / path).exists():
                raise UnusableError([f"{path} is missing"], "synthesize again, or give another file")
            if not (self.root / path).is_file():
                raise UnusableError(
                    [f"{path} is not a file that can be read twice"], "give a file or a folder"
                )
            with (self.root / path).open("rb") as opened:
                return opened.read(MAX_BYTES + 1)
        except OSError as error:
            told = (error.strerror or str(error)).lower()
            raise UnusableError([f"{path} cannot be read: {told}"], "give a readable file") from None

    def label(self, path: str) -> str:
        """The path as the user gave it."""
        return path


class Revision:
    """Files of one commit."""

    def __init__(self, repository: Repository, name: str, commit: str) -> None:
        self._repository, self.name, self.commit = repository, name, commit
        self._read: dict[str, bytes] = {}

    @cached_property
    def files(self) -> dict[str, str]:
        """Every file of the commit and its object, asked once: a profile may name many."""
        return self._repository.files(self.commit)

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(
            {""} | {parent.as_posix() for file in self.files for parent in PurePosixPath(file).parents}
        )

    def kind(self, path: str) -> Kind | None:
        """What is there."""
        if path in self.files:
            return "file"
        return "folder" if path in self._folders else None

    def matching(self, pattern: str) -> list[str]:
        """Every file of text with a line that matches a regular expression (POSIX, extended)."""
        return self._repository.matching(self.commit, pattern)

    def below(self, folder: str) -> list[str]:
        """Every file in a folder and its folders."""
        return [path for path in self.files if path.startswith(f"{folder}/")]

    def read(self, path: str) -> bytes:
        """The content of a file; what is larger than any template is one byte longer than the largest."""
        if path not in self._read:
            self._read[path] = self.content(path, MAX_BYTES)
        return self._read[path]

    def content(self, path: str, most: int) -> bytes:
        """The content of a file of up to `most` bytes; what is larger is one byte longer than that."""
        entry = self._repository.entry(self.commit, path)
        if entry is None:
            raise UnusableError([f"{self.label(path)} does not exist"])
        if entry.mode == "120000":
            raise UnusableError([f"{self.label(path)} is a symbolic link"], "name the file that it leads to")
        if entry.kind != "blob":
            raise UnusableError(
                [f"{self.label(path)} is not a file"], "name a file or a folder of this repository"
            )
        return self._repository.blob(entry.object, most + 1)

    def label(self, path: str) -> str:
        """The path with its revision."""
        return f"{self.name}:{path or '.'}"


def read_text(tree: Tree, path: str) -> str:
    """The text of a file; raises for one that is too large, or no text."""
    content, label = tree.read(path), tree.label(path)
    if len(content) > MAX_BYTES:
        raise UnusableError([f"{label} is larger than the {MAX_BYTES} bytes that CloudFormation takes"])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnusableError([f"{label} is not UTF-8 text"], "give a template or a profile") from None
    if text.startswith(_LFS):
        raise UnusableError(
            [f"{label} is only a pointer of Git LFS"], "commit the file itself, or check it out"
        )
    return text
