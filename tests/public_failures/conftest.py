"""Profiles as users write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config.cluster import Cluster, load_cluster


@pytest.fixture
def check(tmp_path: Path) -> Callable[[str], Cluster]:
    """What ultracluster says of a profile with this text."""

    def load(text: str) -> Cluster:
        (tmp_path / "my.yaml").write_text(text, encoding="utf-8")
        return load_cluster("my.yaml", base=tmp_path)

    return load
