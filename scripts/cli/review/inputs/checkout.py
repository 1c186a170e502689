"""Write a profile, as it is at a revision, to disk with every file that it names."""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from config.profile.source.reference import built_in_names
from config.profile.source.yaml_source import read_yaml
from scripts.cli.review.errors import UnusableError

from .trees import Revision, read_text

_MAX_FILES = 2000
_MOST_BYTES = 64 * 1_048_576
"""Maximum size of a file that a profile names, such as a packaged chart."""
_FOLDER = "folder"
"""The key whose value is a folder (orchestrator.charts.folder)."""
_SUFFIXES = (".yaml", ".yml")


def closure(tree: Revision, path: str) -> frozenset[str]:
    """Return the paths of a profile and of all files that it names, from the top of the repository.

    The result contains the profiles that the profile extends or attaches, and files that its keys name, such
    as scripts, lists of users and folders of charts. Files that do not exist are included, because a change
    may add or remove them.
    """
    waiting, seen = [path], set[str]()
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        if len(seen) > _MAX_FILES:
            raise UnusableError([f"{tree.label(path)} names more than {_MAX_FILES} files"])
        if current.endswith(_SUFFIXES) and tree.kind(current) == "file":
            waiting += _named(tree, read_text(tree, current), posixpath.dirname(current))
    return frozenset(seen)


@contextmanager
def checked_out(tree: Revision, path: str) -> Iterator[Path]:
    """Yield a folder with a profile as of a revision, and all files that the profile names."""
    with tempfile.TemporaryDirectory(prefix="ultracluster-review-") as folder:
        write_out(tree, path, Path(folder))
        yield Path(folder)


def write_out(tree: Revision, path: str, folder: Path) -> None:
    """Write a profile of a revision, and every file that it names, into a folder."""
    for name in closure(tree, path):
        if tree.kind(name) != "file":
            continue  # the loader of profiles reports missing files
        content = tree.content(name, _MOST_BYTES)
        if len(content) > _MOST_BYTES:
            raise UnusableError([f"{tree.label(name)} is larger than {_MOST_BYTES} bytes"])
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _named(tree: Revision, text: str, folder: str) -> Iterator[str]:
    data = read_yaml(text).data
    if not isinstance(data, dict):
        return
    attached: Any = data.get("data")
    for value in (data.get("extends"), attached.get("profile") if isinstance(attached, dict) else None):
        if isinstance(value, str) and value not in built_in_names():
            yield from _inside(folder, value)
    for key, value in _texts(data):
        for place in _inside(folder, value):
            kind = tree.kind(place)
            if kind == "file":
                yield place
            elif kind == "folder" and key == _FOLDER:  # other values can equal the name of a folder by chance
                yield from tree.below(place)


def _inside(folder: str, value: str) -> Iterator[str]:
    """Yield a path relative to the top of the repository; a path outside of the repository is ignored."""
    if "\0" in value or "\n" in value:
        return
    path = posixpath.normpath(posixpath.join(folder, value))
    if value and path != "." and not path.startswith(("../", "/")) and path != "..":
        yield path


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Yield every text of a profile with its key; YAML aliases are followed only once."""
    waiting, seen = [("", value)], set[int]()
    while waiting:
        key, item = waiting.pop()
        if isinstance(item, str):
            yield key, item
        elif isinstance(item, dict | list) and id(item) not in seen:
            seen.add(id(item))
            pairs = item.items() if isinstance(item, dict) else ((key, inner) for inner in item)
            waiting += [(str(name), inner) for name, inner in pairs]
