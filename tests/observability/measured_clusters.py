"""Clusters for metric tests: built-in profiles with each control plane, and changed profiles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

from config.design.build import design
from config.design.model import Design
from config.design.observability.collection.measured import measured
from config.design.observability.model import Measured
from config.profile.source.loader import load
from tests.conftest import ROOT

PROFILES = sorted(
    path.stem for path in (ROOT / "config" / "profiles").glob("*.yaml") if not path.stem.endswith("-data")
)
PLANES = ("hyperpod-slurm", "hyperpod-eks", "eks", "pcs")
KUBERNETES = ("hyperpod-eks", "eks")


@cache
def built_in(name: str, plane: str) -> Design:
    """Return a built-in profile with a control plane."""
    loaded = load(name, orchestrator=plane)
    assert loaded.profile is not None, [fault.message for fault in loaded.diagnostics]
    return design(loaded.profile)


def measured_in(design: Design) -> Measured:
    """Return the metrics of the cluster of a design."""
    return measured(
        design.profile,
        design.groups,
        lustre=bool(design.file_systems),
        checkpoints=design.checkpoints,
    )


def changed(folder: Any, extends: str = "p6-b200", **declared: Any) -> Design:
    """Return a profile that extends a built-in profile."""
    (folder / "my.yaml").write_text(yaml.safe_dump({"extends": extends, "name": "mine", **declared}), "utf-8")
    loaded = load("my.yaml", base=folder)
    assert loaded.profile is not None, [fault.message for fault in loaded.diagnostics]
    return design(loaded.profile)


def of_plane(kind: str, **more: Any) -> Mapping[str, Any]:
    """Return a control plane as in a profile."""
    return {"kind": kind, **more}
