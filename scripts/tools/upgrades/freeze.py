"""Synthesize every built-in profile with the code of a revision, and write the baseline."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from config.profile.orchestrator import ORCHESTRATORS

from .baseline import FOLDER, ROOT, Baseline, Content, FrozenStack, content_of, write_baseline

_TIMEOUT_S = 300


class FreezeError(Exception):
    """The revision does not exist, or a profile of it cannot be synthesized."""


def freeze(revision: str, release: str, folder: Path = FOLDER, only: str | None = None) -> Path:
    """Synthesize the stacks of a revision, and write them as the baseline of a release; return the file.

    The revision's code runs in a separate checkout, but with the installed packages. Freeze a release before
    the project's dependencies change. `only` selects one profile.
    """
    commit = _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if not commit:
        raise FreezeError(f"{revision} is not a commit or tag of this repository")
    stacks = []
    with _checkout(commit) as tree:
        for profile in sorted(
            file.stem for file in (tree / "config" / "profiles").glob(f"{only or '*'}.yaml")
        ):
            stacks += list(_stacks_of(tree, profile))
    return write_baseline(Baseline(release=release, commit=commit, stacks=tuple(stacks)), folder)


def _stacks_of(tree: Path, profile: str) -> Iterator[FrozenStack]:
    """Yield the profile's stack, and one stack for each other control plane that supports the profile."""
    own = _synthesize(tree, profile, None)
    if own is None:
        raise FreezeError(f"the rules of the release reject {profile}")
    print(f"- {own.title}", file=sys.stderr)
    yield own
    for orchestrator in ORCHESTRATORS:
        other = _synthesize(tree, profile, orchestrator)
        if other is not None and other.template["Resources"] != own.template["Resources"]:
            print(f"- {other.title}", file=sys.stderr)
            yield other


def _synthesize(tree: Path, profile: str, orchestrator: str | None) -> FrozenStack | None:
    """Synthesize one stack with app.py; return None if a rule rejects the profile."""
    context = {"profile": profile, **({"orchestrator": orchestrator} if orchestrator else {})}
    with tempfile.TemporaryDirectory(prefix="ultracluster-freeze-") as folder:
        done = subprocess.run(
            [sys.executable, str(tree / "app.py")],
            cwd=tree, env=_environment(tree, context, folder), capture_output=True, text=True, check=False,
            timeout=_TIMEOUT_S,
        )  # fmt: skip
        if done.returncode == 1 and "Traceback" not in done.stderr:
            return None
        if done.returncode:
            raise FreezeError(f"{profile} could not be synthesized: {done.stderr.strip()[-300:]}")
        return _read(Path(folder), profile, orchestrator)


def _environment(tree: Path, context: dict[str, str], folder: str) -> dict[str, str]:
    node = Path(sys.executable).parent / "node"
    return {
        **{key: value for key, value in os.environ.items() if key != "CONTEXT_OVERFLOW_LOCATION"},
        "CDK_CONTEXT_JSON": json.dumps(context),
        "CDK_OUTDIR": folder,
        "CDK_VALIDATION": "false",
        # the code of the revision, not the installed package
        "PYTHONPATH": os.pathsep.join([str(tree), str(tree / "constructs")]),
        **({"JSII_NODE": str(node)} if node.exists() else {}),
    }


def _read(folder: Path, profile: str, orchestrator: str | None) -> FrozenStack:
    manifest = _json(folder / "manifest.json")
    (name, artifact), *_ = [
        (name, artifact)
        for name, artifact in manifest["artifacts"].items()
        if artifact["type"] == "aws:cloudformation:stack"
    ]
    assets = _json(folder / f"{name}.assets.json")
    # the template is an asset too, and the baseline has it separately
    assets["files"] = {
        key: entry
        for key, entry in assets["files"].items()
        if entry["source"]["path"] != artifact["properties"]["templateFile"]
    }
    files: dict[str, Content] = {
        path: content_of(folder / path)
        for path in sorted({entry["source"]["path"] for entry in assets["files"].values()})
    }
    return FrozenStack(
        profile=profile,
        orchestrator=orchestrator,
        name=name,
        region=artifact["environment"].rpartition("/")[2],
        template=_json(folder / artifact["properties"]["templateFile"]),
        assets={"files": assets["files"]},
        files=files,
    )


def _json(file: Path) -> Any:
    return json.loads(file.read_bytes())


@contextmanager
def _checkout(commit: str) -> Iterator[Path]:
    """Check out a commit in a temporary worktree."""
    with tempfile.TemporaryDirectory(prefix="ultracluster-release-") as folder:
        tree = Path(folder) / "tree"
        _git("worktree", "add", "--quiet", "--detach", str(tree), commit, must=True)
        try:
            yield tree
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _git(*arguments: str, must: bool = False) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    if done.returncode and must:
        raise FreezeError(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip() if not done.returncode else ""
