"""Charts in a closed network, wherever the profile says that it is closed."""

from __future__ import annotations

from pathlib import Path

import yaml

from config.cluster import load_cluster

DATA = """
extends: p6-b200-data
name: shared
network: {kind: new, vpc_cidr: 10.0.0.0/16, secondary_zones: [usw2-az1], closed: true}
"""
REGISTRY = {"kind": "registry", "registry": "123456789012.dkr.ecr.us-west-2.amazonaws.com/charts"}


def codes(folder: Path, **orchestrator: object) -> set[str]:
    """Codes of what is found of a cluster on the network of a data profile."""
    (folder / "shared.yaml").write_text(DATA, encoding="utf-8")
    declared = {
        "extends": "p6-b200-cluster",
        "name": "mine",
        "data": {"profile": "shared.yaml"},
        "orchestrator": {"kind": "eks", **orchestrator},
        "compute": {
            "groups": [
                {"name": "system", "role": "system", "instance_type": "m6i.xlarge", "count": 2},
                {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 4},
            ]
        },
    }
    (folder / "mine.yaml").write_text(yaml.safe_dump(declared), encoding="utf-8")
    return {diagnostic.code for diagnostic in load_cluster(str(folder / "mine.yaml")).diagnostics}


def test_the_closed_network_of_a_data_profile_takes_no_public_charts(tmp_path: Path) -> None:
    assert "CHT001" in codes(tmp_path)


def test_charts_of_ones_own_still_have_images_of_others_there(tmp_path: Path) -> None:
    found = codes(tmp_path, charts=REGISTRY)
    assert "CHT001" not in found
    assert "CHT005" in found
