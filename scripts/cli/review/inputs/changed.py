"""Find the profiles of a repository that a change affects, and read each at OLD and NEW."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from config.diagnostics import Diagnostic
from scripts.cli.review.errors import UnusableError

from .checkout import closure, write_out
from .git import Repository
from .load import UnusableInputsError
from .profiles import ROOT, ProfileRead, read_profile
from .trees import Revision

# a key at the start of a line that only profiles have; the pattern also finds profiles with errors
_PROFILE = (
    "^['\"]?(extends|orchestrator|compute|storage|observability|availability_zone(_id)?)['\"]?[[:space:]]*:"
)
_NAMED = "^['\"]?name['\"]?[[:space:]]*:"
_SUFFIXES = (".yaml", ".yml")
# code that can change the template of an unchanged profile, in the repository of ultracluster itself
_CODE = ("app.py", "config/", "constructs/", "stacks/", "requirements.txt")
_NO_CODE = ("config/profiles/",)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a search. `folder` is in the repository; `under` lists the paths to search."""

    folder: Path
    under: tuple[str, ...] = ()
    orchestrator: str | None = None


@dataclass(frozen=True, kw_only=True)
class ChangedProfile:
    """A profile that a change affects. `old` or `new` is None if that revision does not have the file."""

    path: str
    old: ProfileRead | None
    new: ProfileRead | None


@dataclass(frozen=True)
class _Place:
    """One side on disk: a folder with its profiles, and the version of ultracluster that synthesizes them."""

    tree: Revision
    folder: Path
    app: Path

    def read(self, path: str, orchestrator: str | None) -> ProfileRead | None:
        """Return a profile of this side; None if the side does not have the file."""
        if self.tree.kind(path) != "file":
            return None
        return read_profile(path, self.folder, orchestrator, app=self.app)


@dataclass(frozen=True, kw_only=True)
class Changed:
    """The names of both revisions, and the profiles that differ between them, sorted by path."""

    old: str
    new: str
    profiles: tuple[ChangedProfile, ...]


def changed_profiles(old: str, new: str, options: Options) -> Changed:
    """Return every profile that differs between the revisions, or that names a file that differs.

    Raises UnusableInputsError if there is no repository or revision, or neither revision has the folder.
    """
    repository = Repository(options.folder)
    before, after = _revisions(repository, old, new)
    changed = repository.changed(before.commit, after.commit)
    places = [_place(repository, path, before, after) for path in options.under]
    with ExitStack() as stack:
        apps = _apps(repository, before, after, changed, stack)
        touched = [
            path
            for path in sorted(_profiles(before, places) | _profiles(after, places))
            if apps is not None or _touches(path, changed, before, after)
        ]
        sides = [
            _Place(tree, app or _exported_profiles(tree, touched, stack), app or ROOT)
            for tree, app in zip((before, after), apps or (None, None), strict=True)
        ]
        found = _moved(list(_read(touched, (sides[0], sides[1]), options.orchestrator)))
    return Changed(old=_reported(before), new=_reported(after), profiles=tuple(found))


def _reported(tree: Revision) -> str:
    """Return the name of a revision, with its commit if the name is not the commit."""
    commit = tree.commit[:10]
    return commit if tree.commit.startswith(tree.name) else f"{tree.name} ({commit})"


def _revisions(repository: Repository, old: str, new: str) -> tuple[Revision, Revision]:
    found, problems = [], []
    for side, argument in (("OLD", old), ("NEW", new)):
        commit = repository.commit(argument)
        if commit is None:
            problem = UnusableError(
                [f"{argument!r} is not a revision of this repository"],
                "use two branches, tags or commits; for a shallow clone run `git fetch --unshallow`",
            )
            problems.append((side, argument, problem))
        else:
            found.append(Revision(repository, argument, commit))
    if problems:
        raise UnusableInputsError(problems)
    return found[0], found[1]


def _place(repository: Repository, path: str, *trees: Revision) -> str:
    """Return the path of a folder or file relative to the top of the repository."""
    places = repository.places(path)
    found = next((p for p in places if any(tree.kind(p) is not None for tree in trees)), None)
    if found is None:
        raise UnusableError(
            [f"{path} is in neither revision"], "write the path from the current or the top folder"
        )
    return found


def _profiles(tree: Revision, places: list[str]) -> set[str]:
    """Return every profile of a revision; hidden folders are skipped, because other programs use them.

    A file without `name` that other profiles extend is not the profile of a stack.
    """
    found = {
        path
        for path in tree.matching(_PROFILE)
        if path.endswith(_SUFFIXES) and not any(part.startswith(".") for part in PurePosixPath(path).parts)
    }
    bases = {base for path in found for base in closure(tree, path) if base != path}
    nameless = bases & found - set(tree.matching(_NAMED))
    return {
        path
        for path in found - nameless
        if not places or any(place in ("", path) or path.startswith(f"{place}/") for place in places)
    }


def _touches(path: str, changed: frozenset[str], *trees: Revision) -> bool:
    return any(tree.kind(path) == "file" and closure(tree, path) & changed for tree in trees)


def _apps(
    repository: Repository, before: Revision, after: Revision, changed: frozenset[str], stack: ExitStack
) -> tuple[Path, Path] | None:
    """Return a copy of ultracluster at each revision if its code differs; None if it does not differ."""
    own = repository.top.resolve() == ROOT
    if not own or not any(path.startswith(_CODE) and not path.startswith(_NO_CODE) for path in changed):
        return None
    return _exported(repository, before, stack), _exported(repository, after, stack)


def _exported(repository: Repository, tree: Revision, stack: ExitStack) -> Path:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ultracluster-review-")))
    repository.export(tree.commit, folder)
    return folder


def _read(
    paths: list[str], places: tuple[_Place, _Place], orchestrator: str | None
) -> Iterator[ChangedProfile]:
    """Yield both sides of each profile; raises an error that lists all problems."""
    with ThreadPoolExecutor(max_workers=2) as pool:  # a profile takes seconds to synthesize
        waiting = [
            (path, [pool.submit(place.read, path, orchestrator) for place in places]) for path in paths
        ]
    problems: list[tuple[str, str, UnusableError]] = []
    for path, futures in waiting:
        sides: list[ProfileRead | None] = []
        for side, future in zip(("OLD", "NEW"), futures, strict=True):
            try:
                sides.append(future.result())
            except UnusableError as error:
                problems.append((side, path, error))
        if len(sides) == len(futures):
            yield ChangedProfile(path=path, old=sides[0], new=sides[1])
    if problems:
        raise UnusableInputsError(problems)


def _exported_profiles(tree: Revision, paths: list[str], stack: ExitStack) -> Path:
    """Return a folder with the profiles of a revision and every file that they name."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ultracluster-review-")))
    for path in paths:
        if tree.kind(path) == "file":
            write_out(tree, path, folder)
    return folder


def _moved(found: list[ChangedProfile]) -> list[ChangedProfile]:
    """Join a removed and an added profile of the same stack into one changed profile, for a renamed file."""
    added = {name: one for one in found if one.old is None and (name := _name(one.new))}
    removed = {name: one for one in found if one.new is None and (name := _name(one.old))}
    both = added.keys() & removed.keys()
    moved = [
        ChangedProfile(
            path=f"{removed[name].path} -> {added[name].path}", old=removed[name].old, new=added[name].new
        )
        for name in both
    ]
    stayed = [
        one for one in found if not {one.path} & {side[n].path for n in both for side in (added, removed)}
    ]
    return sorted([*stayed, *moved], key=lambda one: one.path)


def _name(side: ProfileRead | None) -> str | None:
    return side.stack.name if side and side.stack else None


def stops(side: ProfileRead) -> list[Diagnostic]:
    """Return the errors of a profile that prevent a deployment."""
    return [found for found in side.found if found.stops]
