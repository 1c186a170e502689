"""The `ultracluster metrics` command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from config.cluster import Cluster, load_cluster
from config.design.observability.alerts.plan import LeftOut
from config.design.observability.files import UNKNOWN, metrics_files
from scripts.cli.output import line, refuse, write_diagnostics, write_json, write_table

MANIFEST = "ultracluster-metrics.json"
"""List of the files that this command wrote to a folder; it does not change other files."""


class ForeignFilesError(Exception):
    """Files that would be overwritten, but were not written by this command."""


def write_metrics(profile: str, *, orchestrator: str | None, output: str | None, as_json: bool) -> int:
    """Write or list the metrics files of a profile, and return the exit status."""
    cluster = load_cluster(profile, orchestrator=orchestrator)
    design = cluster.design
    plan = design.observability if design else None
    if design is None or cluster.exit_status:
        return _report(cluster, {}, (), output=None, as_json=as_json)
    if plan is None:
        return refuse(
            f"{design.profile.name} does not declare metrics",
            "set `observability: {prometheus: {kind: managed}}`, or `kind: existing` for your own Prometheus",
            as_json=as_json,
        )
    slurm = design.hyperpod or design.pcs
    files = metrics_files(design.profile, design.groups, plan, slurm.scripts if slurm else None)
    try:
        if output is not None:
            _write(Path(output), files)
    except ForeignFilesError as error:
        return refuse(str(error), "use another folder, or move these files", as_json=as_json)
    except OSError as error:
        message = f"cannot write {output}: {(error.strerror or str(error)).lower()}"
        return refuse(message, "use a folder that can be created", as_json=as_json)
    return _report(cluster, files, plan.alerts.left_out, output=output, as_json=as_json)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files, and delete files of the last run that are not written again."""
    manifest = folder / MANIFEST
    known = _known(manifest)
    foreign = sorted(name for name in files if name not in known and (folder / name).exists())
    if foreign:
        raise ForeignFilesError(
            f"{folder} contains files that this command did not write: {', '.join(foreign)}"
        )
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    for name in sorted(known - files.keys()):
        (folder / name).unlink(missing_ok=True)
    manifest.write_text(json.dumps(sorted(files), indent=1) + "\n", encoding="utf-8", newline="\n")


def _known(manifest: Path) -> set[str]:
    """Return the files of the last run; empty if the list does not exist."""
    if not manifest.is_file():
        return set()
    try:
        names = json.loads(manifest.read_text(encoding="utf-8"))
    except ValueError:
        names = None
    if not isinstance(names, list) or not all(_is_inside(name) for name in names):
        raise ForeignFilesError(f"{manifest} was not written by this command")
    return set(names)


def _is_inside(name: object) -> bool:
    """Return True if a name in the list is a file inside the folder."""
    return isinstance(name, str) and not Path(name).is_absolute() and ".." not in Path(name).parts


def _report(
    cluster: Cluster,
    files: Mapping[str, str],
    left_out: Sequence[LeftOut],
    *,
    output: str | None,
    as_json: bool,
) -> int:
    if as_json:
        write_json(_data(cluster, files, left_out, output))
        return cluster.exit_status
    write_diagnostics(cluster.diagnostics, stderr=True)
    if files:
        write_table(
            ("file", "bytes"), ((name, f"{len(text.encode()):,}") for name, text in files.items()), right=(1,)
        )
        if any(UNKNOWN in text for text in files.values()):
            line(f"replace `{UNKNOWN}` with values that are known after deployment", stderr=True)
    if output is not None:
        line(f"wrote {len(files)} files to {output}", stderr=True)
    return cluster.exit_status


def _data(
    cluster: Cluster, files: Mapping[str, str], left_out: Sequence[LeftOut], output: str | None
) -> dict[str, Any]:
    return {
        "output": output,
        "files": [{"name": name, "bytes": len(text.encode())} for name, text in files.items()],
        "left_out": [{"alert": one.name, "reason": one.reason} for one in left_out],
        "diagnostics": [diagnostic.as_dict() for diagnostic in cluster.diagnostics],
    }
