"""What every suite shares: one jsii kernel and one synthesized template for each built-in profile."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SNAPSHOTS = ROOT / "tests" / "snapshots"

# One gate (tests/synth/test_validation_gate.py) runs CDK's own validation; it costs a second a synth.
os.environ.setdefault("CDK_VALIDATION", "false")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-snapshots", action="store_true", help="write tests/snapshots anew instead of comparing"
    )


@dataclass(frozen=True)
class Synthesized:
    """One synthesized stack: its template as text and data, and the folder that holds it."""

    name: str
    folder: Path
    text: str
    template: dict[str, Any]

    def resources(self, kind: str) -> dict[str, dict[str, Any]]:
        """The resources of one CloudFormation type, by logical id."""
        return {key: value for key, value in self.template["Resources"].items() if value["Type"] == kind}

    def only(self, kind: str) -> dict[str, Any]:
        """The properties of the one resource of its type."""
        (resource,) = self.resources(kind).values()
        properties: dict[str, Any] = resource["Properties"]
        return properties


@pytest.fixture(scope="session")
def synthesized(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Synthesized]:
    """Synthesize a profile by name or path, once in the whole run."""
    from app import synthesize
    from config.cluster import load_cluster

    @functools.cache
    def synthesize_once(given: str) -> Synthesized:
        cluster = load_cluster(given)
        assert cluster.design is not None, [d.message for d in cluster.diagnostics]
        name = cluster.design.profile.name
        folder = Path(synthesize(cluster, outdir=str(tmp_path_factory.mktemp(name))))
        text = (folder / f"{name}.template.json").read_text(encoding="utf-8")
        return Synthesized(name=name, folder=folder, text=text, template=json.loads(text))

    return synthesize_once
