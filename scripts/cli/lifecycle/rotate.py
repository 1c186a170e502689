"""`ultracluster rotate`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from config.cluster import Cluster, load_cluster
from config.design.capacity.rotation import Rotation, RotationError, Step, plan_rotation
from config.profile.environment import declared_name
from config.profile.source.reference import built_in_names
from config.profile.source.yaml_writer import as_yaml
from scripts.cli.output import heading, line, refuse, verbatim, write_diagnostics, write_json


def rotate(
    profile: str, *, orchestrator: str | None, group: str | None, folder: str | None, as_json: bool
) -> int:
    """Print the steps from one reservation to the next, and write one profile for each deployment."""
    cluster = load_cluster(profile, orchestrator=orchestrator)
    if cluster.exit_status or cluster.design is None:
        write_diagnostics(cluster.diagnostics, stderr=True)
        return cluster.exit_status
    try:
        found = plan_rotation(cluster.design.profile, group)
    except RotationError as error:
        return refuse(str(error), error.hint)
    try:
        files = _written(cluster, found, Path(folder)) if folder is not None else {}
    except OSError as error:
        return refuse(f"{folder} cannot be written: {error.strerror}", "use another folder with --to")
    commands = {number: _command(cluster, found, step, files) for number, step in enumerate(found.steps)}
    if as_json:
        _as_json(found, files, commands)
    else:
        _as_text(found, commands)
    return 0


def _written(cluster: Cluster, found: Rotation, folder: Path) -> dict[str, Path]:
    """Write one profile for each deployment, and return the files by step name.

    Each profile extends the original profile.
    """
    assert cluster.design is not None
    folder.mkdir(parents=True, exist_ok=True)
    name = cluster.design.profile.name
    files = {}
    for step in found.steps:
        if step.action == "deploy":
            file = folder / f"{name}-{step.name}.yaml"
            text = as_yaml(_profile(cluster, declared_name(cluster.design.profile), step, folder))
            file.write_text(f"# written by `ultracluster rotate`: {step.what}\n{text}", encoding="utf-8")
            files[step.name] = file
    return files


def _profile(cluster: Cluster, name: str, step: Step, folder: Path) -> Mapping[str, Any]:
    base = cluster.argument
    if base not in built_in_names():
        path = os.path.relpath(Path(base).expanduser(), folder)
        base = path if path.startswith(".") else f"./{path}"
    kind = {"orchestrator": {"kind": cluster.orchestrator}} if cluster.orchestrator else {}
    return {"extends": base, "name": name, **kind, "compute": {"groups": [dict(one) for one in step.groups]}}


def _command(cluster: Cluster, found: Rotation, step: Step, files: Mapping[str, Path]) -> str | None:
    """Return the command of a step; None if the step has no command."""
    profile = shlex.quote(cluster.argument)
    also = f" --orchestrator {cluster.orchestrator}" if cluster.orchestrator else ""
    if step.action == "drain":
        return f"ultracluster drain {profile} --group {found.group} --aws{also}"
    if step.action == "release":
        return f"ultracluster drain {profile} --group {found.group} --release --aws{also}"
    if step.action == "deploy" and step.name in files:
        return f"cdk deploy --context profile={shlex.quote(str(files[step.name]))}"
    if step.action == "deploy":
        context = f" --context orchestrator={cluster.orchestrator}" if cluster.orchestrator else ""
        return f"cdk deploy --context profile={profile}{context}"
    return None


def _as_json(found: Rotation, files: Mapping[str, Path], commands: Mapping[int, str | None]) -> None:
    steps = []
    for number, step in enumerate(found.steps):
        fields = {key: value for key, value in asdict(step).items() if key not in ("groups", "name")}
        file = files.get(step.name)
        steps.append({**fields, "command": commands[number], "file": str(file) if file else None})
    write_json(
        {
            "group": found.group,
            "place": found.place,
            "before": found.before,
            "after": found.after,
            "steps": steps,
        }
    )


def _as_text(found: Rotation, commands: Mapping[int, str | None]) -> None:
    line(f"group {found.group} changes from {found.before} to {found.after}")
    for number, step in enumerate(found.steps):
        heading(f"{number + 1}. {step.what}")
        line(f"when: {step.when}", indent=2)
        line(f"why: {step.why}", indent=2)
        if step.edit:
            line(f"change the profile's {found.place} to:", indent=2)
            for written in as_yaml(dict(step.edit)).splitlines():
                line(written, indent=4)
        command = commands[number]
        if command is not None:
            verbatim(command)
