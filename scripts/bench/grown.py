"""Profiles that grow: many compute groups, many data repository associations."""

from __future__ import annotations

import json
from pathlib import Path


def with_groups(folder: Path, count: int) -> str:
    """The path of a profile like p6-b200 with that many compute groups."""
    fixed = [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
    ]
    groups = [
        {"name": f"train-{i:02}", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 2}
        for i in range(count)
    ]
    return _write(folder / f"groups-{count}.yaml", {"compute": {"groups": fixed + groups}})


def with_links(folder: Path, count: int) -> str:
    """The path of a profile like p6-b200 with that many data repository associations."""
    links = [
        {"path": f"/data-{i}", "bucket": "new", "import": ["new", "changed", "deleted"]} for i in range(count)
    ]
    return _write(folder / f"links-{count}.yaml", {"storage": {"lustre": {"data_repositories": links}}})


def _write(file: Path, changes: dict[str, object]) -> str:
    # JSON is YAML too
    file.write_text(json.dumps({"extends": "p6-b200", "name": file.stem} | changes), encoding="utf-8")
    return str(file)
