"""The templates under review as something to deploy: those with functions need the code of these."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from scripts.cloud.assets import put_assets
from scripts.cloud.local import LocalCloud
from tests.conftest import SNAPSHOTS, of_snapshot


@cache
def snapshot(name: str) -> Mapping[str, Any]:
    """A template: `p6-b200`, or `p6-b200.eks` for one tried under another control plane."""
    found: Mapping[str, Any] = json.loads((SNAPSHOTS / f"{name}.template.json").read_text(encoding="utf-8"))
    return found


def put_assets_of(cloud: LocalCloud, region: str, name: str) -> None:
    """Put the assets of a template where it looks for them, and the role there that deploys it."""
    declared = snapshot(name)["Resources"].values()
    if any(one["Type"] == "AWS::Lambda::Function" for one in declared):
        cloud.bootstrap(region)
        put_assets(cloud, region, _assembly(name))


@cache
def _assembly(name: str) -> Path:
    from app import synthesize

    return Path(synthesize(of_snapshot(name), outdir=f"{tempfile.mkdtemp()}/assembly"))
