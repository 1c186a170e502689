"""A profile as OLD or NEW: synthesized by the present version, in a process of its own."""

from __future__ import annotations

import json
import os
import posixpath
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from config.cluster import load_cluster
from config.diagnostics import render
from config.profile.reference import built_in_names
from config.profile.yaml_source import read_yaml
from scripts.review.errors import UnusableError

from .assembly import read_assembly
from .side import StackTemplate
from .trees import Disk, Tree, read_text

ROOT = Path(__file__).resolve().parents[3]
_TIMEOUT_S = 300
_MAX_FILES = 64


def synthesize_profile(given: str, base: Path, orchestrator: str | None) -> tuple[StackTemplate, ...]:
    """The stack of a profile, with what the rules find; raises with its errors if it has some.

    `base` is the folder that it is seen from.
    """
    cluster = load_cluster(given, orchestrator=orchestrator, base=base)
    if cluster.design is None:
        errors = [render(d) for d in cluster.diagnostics if d.stops]
        raise UnusableError(errors)  # each has its own hint
    with tempfile.TemporaryDirectory(prefix="ultracluster-review-") as folder:
        output = Path(folder) / "cdk.out"
        run_app(given, base, orchestrator, output)
        stacks = read_assembly(Disk(output), "")
    return tuple(replace(stack, found=cluster.diagnostics) for stack in stacks)


def run_app(given: str, base: Path, orchestrator: str | None, output: Path) -> None:
    """Write the cloud assembly of a profile into a folder; raises where it cannot be synthesized."""
    context = {"profile": given, **({"orchestrator": orchestrator} if orchestrator else {})}
    tools = Path(sys.executable).parent
    node = tools / "node"
    roots = [str(ROOT), str(ROOT / "constructs"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        "CDK_CONTEXT_JSON": json.dumps(context),
        "CDK_OUTDIR": str(output),
        "CDK_VALIDATION": "false",  # a second for each side, and nothing of it is read here
        # this version, whichever other one is installed
        "PYTHONPATH": os.pathsep.join(roots),
        "PATH": os.pathsep.join([str(tools), os.environ.get("PATH", "")]),
        **({"JSII_NODE": str(node)} if node.exists() else {}),
    }
    environment.pop("CONTEXT_OVERFLOW_LOCATION", None)
    try:
        done = subprocess.run(
            [sys.executable, str(ROOT / "app.py")],
            cwd=base, env=environment, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UnusableError([f"the synthesis of {given} took more than {_TIMEOUT_S} s"]) from None
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        raise UnusableError(
            [f"{given} could not be synthesized: {' '.join(last)}"], "try `cdk synth` with it"
        )


@contextmanager
def checked_out(tree: Tree, path: str) -> Iterator[Path]:
    """A folder with a profile of a revision, and with every profile that it builds on or attaches to."""
    with tempfile.TemporaryDirectory(prefix="ultracluster-review-") as folder:
        waiting, seen = [path], set[str]()
        while waiting and len(seen) < _MAX_FILES:
            current = waiting.pop()
            if current in seen or tree.kind(current) != "file":
                continue  # the loader of profiles says what it misses
            seen.add(current)
            text = read_text(tree, current)
            target = Path(folder) / current
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            waiting += _named(text, posixpath.dirname(current))
        yield Path(folder)


def _named(text: str, folder: str) -> Iterator[str]:
    """The files that a profile names, seen from the top of the repository."""
    data = read_yaml(text).data
    if not isinstance(data, dict):
        return
    attached: Any = data.get("data")
    for given in (data.get("extends"), attached.get("profile") if isinstance(attached, dict) else None):
        if isinstance(given, str) and given not in built_in_names():
            path = posixpath.normpath(posixpath.join(folder, given))
            if not path.startswith(("..", "/")):
                yield path
