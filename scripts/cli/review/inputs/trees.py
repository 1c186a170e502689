"""Sources of files: local folders, or one revision of a git repository."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol

from scripts.cli.review.errors import UnusableError

from .git import Repository

# CloudFormation accepts templates of up to 1 MB from S3:
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
MAX_BYTES = 1_048_576
_LFS = "version https://git-lfs"

Kind = Literal["file", "folder"]


class Tree(Protocol):
    """A tree of files; paths have slashes and start at its root."""

    def kind(self, path: str) -> Kind | None:
        """Return the type of an entry; None if it does not exist."""

    def read(self, path: str) -> bytes:
        """Return the content of a file; raises if it cannot be read."""

    def label(self, path: str) -> str:
        """Return a path for messages."""


class Disk:
    """Local files, relative to a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def kind(self, path: str) -> Kind | None:
        """Return the type of an entry; None if it does not exist."""
        found = self.root / path
        if found.is_dir():
            return "folder"
        return "file" if found.exists() else None

    def read(self, path: str) -> bytes:
        """Return the content of a file."""
        try:
            if not (self.root / path).exists():
                raise UnusableError([f"{path} is missing"], "synthesize again, or use another file")
            if not (self.root / path).is_file():
                raise UnusableError([f"{path} is not a regular file"], "use a file or a folder")
            with (self.root / path).open("rb") as opened:
                return opened.read(MAX_BYTES + 1)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UnusableError([f"{path} cannot be read: {reason}"], "use a readable file") from None

    def label(self, path: str) -> str:
        """Return the path as the user wrote it."""
        return path


class Revision:
    """Files of one commit."""

    def __init__(self, repository: Repository, name: str, commit: str) -> None:
        self._repository, self.name, self.commit = repository, name, commit
        self._read: dict[str, bytes] = {}

    @cached_property
    def files(self) -> dict[str, str]:
        """Return every file of the commit with its object; cached, because a profile may name many files."""
        return self._repository.files(self.commit)

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(
            {""} | {parent.as_posix() for file in self.files for parent in PurePosixPath(file).parents}
        )

    def kind(self, path: str) -> Kind | None:
        """Return the type of an entry; None if it does not exist."""
        if path in self.files:
            return "file"
        return "folder" if path in self._folders else None

    def matching(self, pattern: str) -> list[str]:
        """Return every text file with a line that matches a POSIX extended regular expression."""
        return self._repository.matching(self.commit, pattern)

    def below(self, folder: str) -> list[str]:
        """Return every file below a folder."""
        return [path for path in self.files if path.startswith(f"{folder}/")]

    def read(self, path: str) -> bytes:
        """Return the content of a file; an oversized file is cut at one byte above the maximum."""
        if path not in self._read:
            self._read[path] = self.content(path, MAX_BYTES)
        return self._read[path]

    def content(self, path: str, most: int) -> bytes:
        """Return the content of a file; a larger file is cut at one byte above `most`."""
        entry = self._repository.entry(self.commit, path)
        if entry is None:
            raise UnusableError([f"{self.label(path)} does not exist"])
        if entry.mode == "120000":
            raise UnusableError([f"{self.label(path)} is a symbolic link"], "use the file that it points to")
        if entry.kind != "blob":
            raise UnusableError(
                [f"{self.label(path)} is not a file"], "use a file or a folder of this repository"
            )
        return self._repository.blob(entry.object, most + 1)

    def label(self, path: str) -> str:
        """Return the path with its revision."""
        return f"{self.name}:{path or '.'}"


def read_text(tree: Tree, path: str) -> str:
    """Return the text of a file; raises if it is too large or not text."""
    content, label = tree.read(path), tree.label(path)
    if len(content) > MAX_BYTES:
        raise UnusableError([f"{label} is larger than the {MAX_BYTES} bytes that CloudFormation accepts"])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnusableError([f"{label} is not UTF-8 text"], "use a template or a profile") from None
    if text.startswith(_LFS):
        raise UnusableError([f"{label} is a Git LFS pointer"], "commit the file itself, or check it out")
    return text
