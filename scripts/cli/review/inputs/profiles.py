"""Synthesize a profile for a review, with its findings and its plan."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from config.cluster import Cluster, load_cluster
from config.diagnostics import Diagnostic, render
from config.profile.source.reference import BUILT_IN_FOLDER
from scripts.cli.review.errors import UnusableError

from .assembly import read_assembly
from .side import StackTemplate
from .trees import Disk

ROOT = BUILT_IN_FOLDER.parents[1]
_TIMEOUT_S = 300


@dataclass(frozen=True, kw_only=True)
class ProfileRead:
    """A profile with its stack; `stack` is None if errors prevent the synthesis."""

    stack: StackTemplate | None
    found: tuple[Diagnostic, ...]


def synthesize_profile(profile: str, base: Path, orchestrator: str | None) -> tuple[StackTemplate, ...]:
    """Return the stack of a profile, with its findings; raises an error that lists the profile's errors.

    `base` is the folder that relative paths start from.
    """
    read = read_profile(profile, base, orchestrator)
    if read.stack is None:
        raise UnusableError([render(d) for d in read.found if d.stops])  # each contains its own hint
    return (read.stack,)


def read_profile(profile: str, base: Path, orchestrator: str | None, *, app: Path = ROOT) -> ProfileRead:
    """Return a profile with its stack, or with the errors that prevent its synthesis.

    `app` is the folder of the ultracluster version that synthesizes the profile. The running version finds
    the findings and computes the plan. If `app` can synthesize the profile, errors of the running version are
    ignored. Raises an error for problems outside of the profile.
    """
    cluster = load_cluster(profile, orchestrator=orchestrator, base=base)
    if cluster.design is None and app == ROOT:
        return ProfileRead(stack=None, found=cluster.diagnostics)
    try:
        stack = _synthesized(profile, base, orchestrator, app)
    except UnusableError:
        if cluster.design is None:
            return ProfileRead(stack=None, found=cluster.diagnostics)
        raise
    return ProfileRead(stack=_with_plan(stack, cluster), found=cluster.diagnostics)


def _with_plan(stack: StackTemplate, cluster: Cluster) -> StackTemplate:
    if cluster.design is None:
        return stack
    from config.design.report.plan import report

    return replace(stack, found=cluster.diagnostics, plan=report(cluster.design))


def _synthesized(profile: str, base: Path, orchestrator: str | None, app: Path) -> StackTemplate:
    with tempfile.TemporaryDirectory(prefix="ultracluster-review-") as folder:
        output = Path(folder) / "cdk.out"
        run_app(profile, base, orchestrator, output, app=app)
        (stack,) = read_assembly(Disk(output), "")  # one profile is one stack
    return stack


def run_app(profile: str, base: Path, orchestrator: str | None, output: Path, *, app: Path = ROOT) -> None:
    """Write the cloud assembly of a profile into a folder; raises if it cannot be synthesized.

    `app` is the folder of the version that synthesizes it.
    """
    context = {"profile": profile, **({"orchestrator": orchestrator} if orchestrator else {})}
    tools = Path(sys.executable).parent
    node = tools / "node"
    # use this version, even if a different one is installed
    roots = [str(app), str(app / "constructs"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        "CDK_CONTEXT_JSON": json.dumps(context),
        "CDK_OUTDIR": str(output),
        "CDK_VALIDATION": "false",  # the validation needs a second for each side, and is not used here
        "PYTHONPATH": os.pathsep.join(roots),
        "PATH": os.pathsep.join([str(tools), os.environ.get("PATH", "")]),
        **({"JSII_NODE": str(node)} if node.exists() else {}),
    }
    environment.pop("CONTEXT_OVERFLOW_LOCATION", None)
    try:
        done = subprocess.run(
            [sys.executable, str(app / "app.py")],
            cwd=base, env=environment, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UnusableError([f"the synthesis of {profile} took more than {_TIMEOUT_S} s"]) from None
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        raise UnusableError(
            [f"{profile} could not be synthesized: {' '.join(last)}"], "run `cdk synth` with this profile"
        )
