"""Schemas of custom resources are packed from checkouts of their projects, and the lock file names each."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.cloud.kubernetes.schemas import LOCK, PACK, read_pack
from scripts.tools.crds import main, write

WIDGET = "example.com/v1 Widget"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "left out",
    "properties": {"description": {"type": "string", "description": "left out"}},
}


def definition(**schema: Any) -> str:
    versions = [
        {"name": "v1", "served": True, "schema": {"openAPIV3Schema": {**SCHEMA, **schema}}},
        {"name": "v1alpha1", "served": False, "schema": {"openAPIV3Schema": SCHEMA}},
    ]
    spec = {"group": "example.com", "names": {"kind": "Widget"}, "versions": versions}
    return yaml.safe_dump({"kind": "CustomResourceDefinition", "spec": spec})


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A pack without schemas, and a lock file that asks for one."""
    pack, lock = tmp_path / "pack.xz", tmp_path / "lock.json"
    row = {"commit": "0", "date": "2026-01-01", "schemas": [WIDGET]}
    write({"projects": {"example/widgets": row}}, {}, pack, lock)
    return pack, lock


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with a definition, a kustomize patch of it, and a chart's template."""
    folder = tmp_path / "sources" / "example" / "widgets"
    folder.mkdir(parents=True)
    (folder / "widgets.yaml").write_text(definition())
    (folder / "patch.yaml").write_text("kind: CustomResourceDefinition\nmetadata: {name: widgets}\n")
    (folder / "template.yaml").write_text(
        "{{- if .Values.crds }}\nkind: CustomResourceDefinition\n{{- end }}\n"
    )
    git = ("git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.com")
    dated = {**os.environ, "GIT_COMMITTER_DATE": "2026-02-03T00:00:00Z"}
    for command in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "one")):
        subprocess.run((*git, *command), check=True, env=dated)
    return folder


def test_lock_writes_the_schemas_with_commit_and_date(files: tuple[Path, Path], project: Path) -> None:
    sources = str(project.parents[1])
    assert main(["lock", sources], *files) == 0
    assert read_pack(files[0]) == {
        WIDGET: {"type": "object", "properties": {"description": {"type": "string"}}}
    }
    row = json.loads(files[1].read_bytes())["projects"]["example/widgets"]
    assert (len(row["commit"]), row["date"]) == (40, "2026-02-03")
    first = [file.read_bytes() for file in files]
    assert main(["lock", sources], *files) == 0
    assert [file.read_bytes() for file in files] == first


@pytest.mark.parametrize("text", ["", definition(type="array")], ids=["missing", "two_that_differ"])
def test_lock_writes_nothing_where_a_schema_is(
    files: tuple[Path, Path], project: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [file.read_bytes() for file in files]
    (project / ("other.yaml" if text else "widgets.yaml")).write_text(text)
    assert main(["lock", str(project.parents[1])], *files) == 1
    assert f"{WIDGET}" in capsys.readouterr().err
    assert [file.read_bytes() for file in files] == before


def test_the_lock_file_names_each_schema_of_the_pack_once() -> None:
    lock = json.loads(LOCK.read_bytes())
    named = [name for row in lock["projects"].values() for name in row["schemas"]]
    assert sorted(named) == sorted(read_pack())
    assert hashlib.sha256(lzma.decompress(PACK.read_bytes())).hexdigest() == lock["sha256"]
    assert all(row["commit"] and row["date"] for row in lock["projects"].values())
