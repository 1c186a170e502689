"""Profiles as the tests write them: a few lines in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config.cluster import Cluster, load_cluster
from config.diagnostics import Diagnostic


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., Cluster]:
    """Write `my.yaml`, and further files by name, into an empty folder and load it from there."""

    def load(
        text: str | bytes, files: dict[str, str] | None = None, orchestrator: str | None = None
    ) -> Cluster:
        for name, content in {"my.yaml": text, **(files or {})}.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return load_cluster("my.yaml", orchestrator=orchestrator, base=tmp_path)

    return load


@pytest.fixture
def errors(check: Callable[..., Cluster]) -> Callable[..., list[Diagnostic]]:
    """The errors of a profile that extends p6-b200 and adds the given lines (its own start on line 3)."""

    def load(lines: str, **options: object) -> list[Diagnostic]:
        cluster = check("extends: p6-b200\nname: mine\n" + lines, **options)
        return [diagnostic for diagnostic in cluster.diagnostics if diagnostic.severity == "error"]

    return load
