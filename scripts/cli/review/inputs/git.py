"""Read a git repository without a checkout."""

from __future__ import annotations

import io
import os
import posixpath
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from scripts.cli.review.errors import UnusableError

_TIMEOUT_S = 120


@dataclass(frozen=True)
class Entry:
    """An entry of a commit: mode (`100644`, `120000` for a symbolic link), kind (`blob`, `tree`), object."""

    mode: str
    kind: str
    object: str


class Repository:
    """The repository that contains a folder."""

    def __init__(self, folder: Path) -> None:
        """Find the repository; raises if there is none, or git is not installed."""
        self._folder = folder
        found = self._run("rev-parse", "--show-toplevel")
        if found.returncode:
            raise UnusableError(
                [f"{folder} is not in a git repository"],
                "change to the repository with the revisions, or use files and folders",
            )
        self.top = Path(found.stdout.decode().rstrip("\n"))
        self._prefix = self._run("rev-parse", "--show-prefix").stdout.decode().rstrip("\n")

    def commit(self, revision: str) -> str | None:
        """Return the commit that a revision names; None if it does not exist."""
        if not revision or revision.startswith("-"):
            return None
        found = self._run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        return found.stdout.decode().strip() if found.returncode == 0 else None

    def places(self, path: str) -> list[str]:
        """Return the paths from the top that `path` can mean: below the current folder, and below the top."""
        seen = [posixpath.normpath(posixpath.join(self._prefix, path)), posixpath.normpath(path)]
        inside = [place for place in seen if not place.startswith(("../", "/")) and place != ".."]
        return list(dict.fromkeys("" if place == "." else place for place in inside))

    def entry(self, commit: str, path: str) -> Entry | None:
        """Return a commit's entry at a path, which starts at the top; None if the path does not exist."""
        if not path:
            return Entry("040000", "tree", commit)
        for line in _lines(self._run("ls-tree", "-z", "--full-tree", commit, "--", path)):
            head, _, name = line.partition("\t")
            if name == path:
                mode, kind, found = head.split(" ")[:3]
                return Entry(mode, kind, found)
        return None

    def files(self, commit: str) -> dict[str, str]:
        """Return every file of a commit with its object, by path from the top; submodules are ignored."""
        found = {}
        for line in _lines(self._run("ls-tree", "-r", "-z", "--full-tree", commit)):
            head, _, name = line.partition("\t")
            if name and head.split(" ")[1] == "blob":
                found[name] = head.split(" ")[2]
        return found

    def matching(self, commit: str, pattern: str) -> list[str]:
        """Return the files of a commit that have a line that matches the pattern, by path from the top."""
        how = ("--no-color", "--full-name", "-l", "-z", "-I", "-E")
        output = self._run("grep", *how, "-e", pattern, commit, "--", str(self.top))
        return [line.removeprefix(f"{commit}:") for line in _lines(output)]

    def changed(self, old: str, new: str) -> frozenset[str]:
        """Return the paths whose content differs between two commits; a renamed file has two paths."""
        output = self._run(
            "diff", "--name-only", "--no-color", "--no-renames", "--no-ext-diff", "-z", old, new, "--"
        )
        if output.returncode:
            raise UnusableError(
                [f"git cannot compare {old} with {new}"],
                "fetch both revisions in full: `git fetch --unshallow`",
            )
        return frozenset(_lines(output))

    def export(self, commit: str, folder: Path) -> None:
        """Write every file of a commit into a folder."""
        packed = self._run("archive", "--format=tar", commit)
        if packed.returncode:
            raise UnusableError(
                [f"git cannot read all of {commit}"], "fetch the revision in full: `git fetch --unshallow`"
            )
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")

    def blob(self, found: str, most: int) -> bytes:
        """Return the content of an object, up to `most` bytes."""
        size = self._run("cat-file", "-s", found)
        if size.returncode:
            raise UnusableError(
                [f"git has no object {found}"], "fetch the revision in full: `git fetch --unshallow`"
            )
        if int(size.stdout) >= most:
            return b"\0" * most
        return self._run("cat-file", "blob", found).stdout

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        command = ["git", "--literal-pathspecs", "-C", str(self._folder), *arguments]
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        try:
            return subprocess.run(
                command, capture_output=True, check=False, timeout=_TIMEOUT_S, env=environment
            )
        except FileNotFoundError:
            raise UnusableError(["git is not installed"], "install git, or use files and folders") from None
        except (subprocess.TimeoutExpired, ValueError) as error:
            raise UnusableError([f"git does not answer: {type(error).__name__}"]) from None


def _lines(output: subprocess.CompletedProcess[bytes]) -> list[str]:
    """Return the lines of git's NUL-separated output."""
    return [line for line in output.stdout.decode(errors="surrogateescape").split("\0") if line]
