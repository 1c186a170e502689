"""Load the stacks of OLD and NEW."""

from __future__ import annotations

import posixpath
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from config.profile.source.reference import built_in_names, nearest
from scripts.cli.review.errors import UnusableError

from .assembly import MANIFEST, read_assembly
from .checkout import checked_out
from .git import Repository
from .profiles import synthesize_profile
from .side import Side, StackTemplate
from .templates import parse
from .trees import Disk, Revision, read_text

_TEMPLATE = re.compile(r'(^|[{,\s])["\']?(Resources|AWSTemplateFormatVersion)["\']?\s*:')
_KINDS = "a template, a cdk.out folder, a profile, or REVISION:PATH"


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options for reading inputs: `profile` is the path for revisions without a path."""

    folder: Path
    profile: str | None = None
    orchestrator: str | None = None


class UnusableInputsError(Exception):
    """Inputs that cannot be used, each as a tuple (OLD or NEW, argument, error)."""

    def __init__(self, problems: list[tuple[str, str, UnusableError]]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{side} {argument}: {error}" for side, argument, error in problems))


def load_sides(old: str, new: str, options: Options) -> tuple[Side, Side]:
    """Read both sides in parallel; raises an error with the problems of both sides."""
    with ThreadPoolExecutor(max_workers=2) as pool:  # a profile takes seconds to synthesize
        reading = [
            (name, argument, pool.submit(_load, argument, options))
            for name, argument in (("OLD", old), ("NEW", new))
        ]
    sides, problems = [], []
    for name, argument, future in reading:
        try:
            sides.append(future.result())
        except UnusableError as error:
            problems.append((name, argument, error))
    if problems:
        raise UnusableInputsError(problems)
    return sides[0], sides[1]


def _load(argument: str, options: Options) -> Side:
    if argument in built_in_names():
        return Side(argument, synthesize_profile(argument, options.folder, options.orchestrator))
    path = str(Path(argument).expanduser())
    disk = Disk(options.folder)
    try:
        found = disk.kind(path)
    except (OSError, ValueError):  # the path is too long or contains a NUL
        found = None
    if found is not None:
        return Side(argument, _from_tree(disk, path, options))
    if ":" in argument:
        revision, _, path = argument.partition(":")
        return Side(argument, _from_revision(revision, path, options))
    return _from_word(argument, options)


def _from_word(argument: str, options: Options) -> Side:
    """Return the side for an argument without a path; raises if the argument is not a git revision."""
    if options.profile is not None:
        if options.profile in built_in_names():
            raise UnusableError(
                [f"{options.profile} is a built-in profile and is not in this repository"],
                "set --profile to a profile of this repository",
            )
        return Side(f"{argument}:{options.profile}", _from_revision(argument, options.profile, options))
    if _is_revision(argument, options):
        raise UnusableError(
            [f"{argument} is a git revision without the path of a profile"],
            f"write {argument}:PATH, or add --profile PATH",
        )
    close = nearest(argument, built_in_names())
    start = f"did you mean {' or '.join(close)}? " if close else ""
    raise UnusableError(
        [f"{argument} is not a file, a folder or a built-in profile"], f"{start}name {_KINDS}"
    )


def _is_revision(argument: str, options: Options) -> bool:
    try:
        return Repository(options.folder).commit(argument) is not None
    except UnusableError:
        return False


def _from_revision(name: str, path: str, options: Options) -> tuple[StackTemplate, ...]:
    repository = Repository(options.folder)
    commit = repository.commit(name)
    if commit is None:
        raise UnusableError(
            [f"{name!r} is not a revision of this repository"],
            "write a branch, a tag or a commit before the colon; `git fetch` downloads missing ones",
        )
    tree = Revision(repository, name, commit)
    places = repository.places(path)
    if not places:
        raise UnusableError([f"{path} is outside of the repository"], "use a path in the repository")
    found = next((place for place in places if tree.kind(place) is not None), None)
    if found is None:
        raise UnusableError(
            [f"{path} does not exist in {name}"], "write the path from the current or the top folder"
        )
    return _from_tree(tree, found, options)


def _from_tree(tree: Disk | Revision, path: str, options: Options) -> tuple[StackTemplate, ...]:
    if tree.kind(path) == "folder":
        if tree.kind(posixpath.join(path, MANIFEST)) is None:
            raise UnusableError(
                [f"{tree.label(path)} has no {MANIFEST}: it is not a cdk.out folder"], f"name {_KINDS}"
            )
        return read_assembly(tree, path)
    text = read_text(tree, path)
    if posixpath.basename(path) == MANIFEST and '"artifacts"' in text:
        return read_assembly(tree, posixpath.dirname(path))
    if _TEMPLATE.search(text):
        return (StackTemplate(template=parse(text, tree.label(path))),)
    if not path.endswith((".yaml", ".yml")):
        raise UnusableError([f"{tree.label(path)} is neither a template nor a profile"], f"name {_KINDS}")
    if isinstance(tree, Disk):
        return synthesize_profile(path, options.folder, options.orchestrator)
    with checked_out(tree, path) as folder:
        return synthesize_profile(path, folder, options.orchestrator)
