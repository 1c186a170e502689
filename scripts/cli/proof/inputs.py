"""Read the artefacts of a profile from folders and templates, or synthesize them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.cluster import Cluster
from config.proof.artefacts import Artefacts
from config.proof.wanted import Wanted, jobs_of
from scripts.cli.review.errors import UnusableError
from scripts.cli.review.inputs.assembly import MANIFEST, read_assembly
from scripts.cli.review.inputs.profiles import run_app
from scripts.cli.review.inputs.templates import parse
from scripts.cli.review.inputs.trees import Disk, read_text

Template = Mapping[str, Any]
Bundles = dict[str, dict[str, str]]

_FOLDERS = ("hyperpod-lifecycle", "pcs-lifecycle", "eks-nodes")
"""Names of script folders; in a path, the hash of the content follows the name."""
_NAMED = re.compile(rf"/((?:{'|'.join(_FOLDERS)})/[0-9a-f]{{16}})/")
_HINT = "use the cdk.out folder of `cdk synth`, or omit --template to synthesize the profile"


@dataclass(frozen=True, slots=True)
class Read:
    """Templates by stack name, templates without a stack name in the order of the arguments, and scripts."""

    templates: dict[str, Template]
    nameless: list[Template]
    bundles: Bundles


def read_artefacts(cluster: Cluster, wanted: Wanted, paths: Sequence[str], base: Path) -> Artefacts:
    """Return the artefacts of a cluster.

    Raises UnusableError if an input cannot be read, or belongs to another profile.

    `paths` are cloud assemblies and templates. If `paths` is empty, the profile is synthesized, which starts
    Node.
    """
    assert cluster.design is not None
    found = _read_paths(paths, base) if paths else _synthesized(cluster, base)
    templates = _by_stack(found, wanted, bool(paths))
    bundles = {**found.bundles, **_of_this_version(templates, found.bundles, wanted)}
    return Artefacts(stack=wanted.profile, templates=templates, bundles=bundles, jobs=jobs_of(cluster.design))


def read_folder(folder: Path) -> Read:
    """Return the stacks and scripts of a cloud assembly."""
    stacks = read_assembly(Disk(folder), "")
    named = {stack.name: stack.template.body for stack in stacks if stack.name is not None}
    return Read(named, [], dict(_bundles(folder)))


def _bundles(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    for path in sorted(folder.iterdir()):
        kind, _, content_hash = path.name.rpartition("-")
        if path.is_dir() and kind in _FOLDERS:
            files = {file.name: _script(file) for file in sorted(path.iterdir()) if file.is_file()}
            yield f"{kind}/{content_hash}", files


def _script(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problem = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "cannot be read"
        raise UnusableError([f"{file.parent.name}/{file.name} {problem}"], _HINT) from None


def _read_paths(paths: Sequence[str], base: Path) -> Read:
    templates: dict[str, Template] = {}
    nameless: list[Template] = []
    bundles: Bundles = {}
    for one in paths:
        path = base / Path(one).expanduser()
        if path.name == MANIFEST:
            path = path.parent
        if path.is_dir():
            if not (path / MANIFEST).exists():
                raise UnusableError([f"{one} has no {MANIFEST}: it is not a cdk.out folder"], _HINT)
            read = read_folder(path)
            templates |= read.templates
            bundles |= read.bundles
        else:
            disk = Disk(base)
            nameless.append(parse(read_text(disk, str(path)), one).body)
    return Read(templates, nameless, bundles)


def _synthesized(cluster: Cluster, base: Path) -> Read:
    """Synthesize the profile and its data profile in parallel, because each synthesis takes seconds."""
    profiles = [(cluster.argument, cluster.orchestrator)]
    profiles += [(cluster.data_profile, None)] if cluster.data_profile else []
    with tempfile.TemporaryDirectory(prefix="ultracluster-proof-") as root:
        folders = [Path(root) / str(number) / "cdk.out" for number in range(len(profiles))]
        with ThreadPoolExecutor(max_workers=len(profiles)) as pool:
            started = [
                pool.submit(run_app, profile, base, orchestrator, folder)
                for (profile, orchestrator), folder in zip(profiles, folders, strict=True)
            ]
            for one in started:
                one.result()
        read = [read_folder(folder) for folder in folders]
    return Read(
        {name: body for one in read for name, body in one.templates.items()},
        [],
        {name: files for one in read for name, files in one.bundles.items()},
    )


def _by_stack(found: Read, wanted: Wanted, declared: bool) -> dict[str, Template]:
    """Return the template of each stack; stacks without a named template get the unnamed ones in order."""
    templates = {name: found.templates[name] for name in wanted.stacks if name in found.templates}
    missing = [name for name in wanted.stacks if name not in templates]
    templates |= dict(zip(missing, found.nameless, strict=False))
    missing = [name for name in wanted.stacks if name not in templates]
    if not missing:
        return templates
    have = ", ".join(sorted(found.templates)) or "one template"
    if missing[0] == wanted.profile:
        raise UnusableError([f"the template of {wanted.profile} is missing: the inputs have {have}"], _HINT)
    assert declared  # a synthesis creates the templates of all stacks
    hint = f"add --template again, with the cdk.out folder or the template of {missing[0]}"
    raise UnusableError([f"{wanted.profile} depends on {missing[0]}, whose template is missing"], hint)


def _of_this_version(templates: Mapping[str, Template], bundles: Bundles, wanted: Wanted) -> Bundles:
    """Return the scripts that templates name but no folder contains.

    Raises an error if the scripts of this version differ from the named ones.

    The hash in a bundle's name is the hash of its content.
    """
    named = sorted({name for body in templates.values() for name in _names(body)} - bundles.keys())
    others = [name for name in named if name != wanted.bundle]
    if others:
        problem = (
            f"the template's node scripts {', '.join(others)} differ from those of this version and profile"
        )
        raise UnusableError([problem], _HINT)
    return {name: dict(wanted.bundle_files) for name in named}


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _NAMED.findall(value)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _names(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _names(inner)
