"""The profiles of storage_profiles.yaml: every kind of storage, with all settings that it takes."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import yaml

PROFILES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "storage_profiles.yaml").read_text())
_ZONE = "usw2-az1"
_EXISTING = {
    "kind": "existing",
    "vpc_id": "vpc-0123456789abcdef0",
    "vpc_cidr": "10.20.0.0/16",
    "subnets": [
        {"id": "subnet-0123456789abcdef0", "cidr": "10.20.0.0/17", "availability_zone_id": _ZONE},
        {"id": "subnet-0123456789abcdef1", "cidr": "10.20.128.0/20", "availability_zone_id": "usw2-az2"},
    ],
}


def profile(row: str) -> dict[str, Any]:
    network = _EXISTING if row == "existing" else {"kind": "new", "vpc_cidr": "10.0.0.0/16"}
    where = {"region": "us-west-2", "availability_zone_id": _ZONE}
    storage = copy.deepcopy(PROFILES[row])
    if row == "everything":
        storage["lustre"] = {**PROFILES["persistent_2_ssd_efa"]["lustre"], **storage["lustre"]}
    return {"name": row.replace("_", "-"), **where, "network": network, "storage": storage}


@cache
def kinds_of(row: str) -> frozenset[tuple[str, str]]:
    """Deployment and storage of the new file systems of a row."""
    declared = profile(row)["storage"]
    systems = [declared["lustre"], *declared.get("additional_lustre", ())]
    return frozenset(
        (system.get("deployment", "persistent-2"), system.get("storage", "ssd"))
        for system in systems
        if system["kind"] == "new"
    )
