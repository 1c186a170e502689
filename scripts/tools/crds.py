"""`python -m scripts.tools.crds lock FOLDER`: schemas of custom resources, from checkouts of their projects.

FOLDER contains a git checkout of each project to renew, as OWNER/NAME. To add a schema, first add its name to
the lock file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from scripts.cloud.kubernetes.schemas import LOCK, PACK, read_pack


class SchemaError(Exception):
    """A project's schema is missing or ambiguous."""


def main(arguments: Sequence[str] | None = None, pack: Path = PACK, lock: Path = LOCK) -> int:
    """Write both files, or return exit status 1 without a change if a project lacks a schema."""
    parser = argparse.ArgumentParser(prog="python -m scripts.tools.crds", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("lock", help="write the schema pack and its lock file")
    command.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args(arguments).folder
    document, schemas = json.loads(lock.read_bytes()), dict(read_pack(pack))
    try:
        for project, row in document["projects"].items():
            if (folder / project).is_dir():
                schemas |= schemas_in(folder / project, row["schemas"])
                row |= version_of(folder / project)
                print(f"{project}: {len(row['schemas'])} schemas of {row['commit']}")
    except SchemaError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    write(document, schemas, pack, lock)
    return 0


def version_of(checkout: Path) -> dict[str, str]:
    """Return the commit of a checkout, and its date."""
    command = ("git", "-C", str(checkout), "log", "-1", "--format=%H %cs")
    commit, date = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return {"commit": commit, "date": date}


def schemas_in(checkout: Path, wanted: Sequence[str]) -> dict[str, Any]:
    """Return the requested schemas from the YAML files of a project, without descriptions.

    Raises:
        SchemaError: a requested schema is missing, or differs between two files.
    """
    found: dict[str, Any] = {}
    for file in sorted(checkout.rglob("*.y*ml")):
        for name, schema in _defined(file):
            if name in wanted and found.setdefault(name, schema) != schema:
                raise SchemaError(f"{name}: {file} differs from another file; remove the wrong one")
    if missing := sorted(set(wanted) - set(found)):
        raise SchemaError(f"{checkout}: no schema of {', '.join(missing)}")
    return found


def _defined(file: Path) -> Iterator[tuple[str, Any]]:
    text = file.read_text(encoding="utf-8", errors="replace")
    if "CustomResourceDefinition" not in text:
        return
    try:
        documents = list(yaml.load_all(text, Loader=yaml.CSafeLoader))
    except yaml.YAMLError:  # a chart template
        return
    for one in documents:
        if isinstance(one, dict) and one.get("kind") == "CustomResourceDefinition":
            spec = one.get("spec", {})  # a kustomize patch contains only a part of the schema
            for version in spec.get("versions", ()):
                if version.get("served") and "schema" in version:
                    name = f"{spec['group']}/{version['name']} {spec['names']['kind']}"
                    yield name, without_descriptions(version["schema"]["openAPIV3Schema"])


def without_descriptions(schema: Any) -> Any:
    """Return the schema without descriptions, but with properties whose name is `description`."""
    if isinstance(schema, list):
        return [without_descriptions(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: without_descriptions(inner) for name, inner in value.items()}
        if key == "properties"
        else without_descriptions(value)
        for key, value in schema.items()
        if key != "description"
    }


def write(document: Mapping[str, Any], schemas: Mapping[str, Any], pack: Path, lock: Path) -> None:
    """Write the schemas and the lock file; equal schemas produce equal bytes."""
    content = json.dumps(schemas, sort_keys=True, separators=(",", ":")).encode()
    pack.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
    summed = {**document, "sha256": hashlib.sha256(content).hexdigest()}
    lock.write_text(json.dumps(summed, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
