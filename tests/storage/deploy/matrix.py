"""The matrix of Lustre file systems: its factors, and the profile that a row of it states."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import yaml

from config.catalog import catalog
from config.cluster import Cluster, load_cluster
from config.profile.storage.lustre import Deployment, LogLevel, LustreVersion, StorageType
from tests.storage.deploy.pairwise import Matrix, Row

BUCKET = "our-datasets"
KEY = "arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
ALL = ["new", "changed", "deleted"]
WHOLE = "mbps"
"""Throughput stated as a whole."""

_TIERS = sorted({tier for kind in catalog().lustre.kinds if kind.states_tier for tier in kind.tiers})
# the neutral value first
FACTORS: dict[str, tuple[str, ...]] = {
    "deployment": get_args(Deployment),
    "storage": get_args(StorageType),
    "throughput": ("none", WHOLE, *map(str, _TIERS)),
    "cache": ("absent", "drive", "no-drive", "proportional", "user-provisioned", "none"),
    "efa": ("false", "true"),
    "size": ("smallest", "step", "several"),
    "links": ("none", "import", "export", "both", "at-creation", "by-task", "existing-bucket", "whole"),
    "version": get_args(LustreVersion),
    "metadata": ("given", "stated"),
    "backups": ("none", "daily"),
    "root_squash": ("none", "squashed"),
    "key": ("own", "stated"),
    "compression": ("lz4", "none"),
    "logs": get_args(LogLevel),
}
FRAMING = ("deployment", "storage", "throughput", "cache", "efa")

_LINKS: dict[str, list[dict[str, Any]]] = {
    "none": [],
    "import": [{"path": "/datasets", "bucket": "new", "import": ALL}],
    "export": [{"path": "/checkpoints", "bucket": "new", "export": ["new", "changed"]}],
    "both": [
        {"path": "/datasets", "bucket": "new", "import": ["new"]},
        {"path": "/checkpoints", "bucket": "new", "prefix": "runs", "import": ALL, "export": ALL},
    ],
    "at-creation": [{"path": "/datasets", "bucket": "new", "import": ALL, "import_metadata_on_create": True}],
    "by-task": [{"path": "/datasets", "bucket": "new", "import": ALL, "import_by_task": True}],
    "existing-bucket": [
        {"path": "/datasets", "bucket": BUCKET, "prefix": "a", "import": ALL, "imported_chunk_mib": 4096},
        {"path": "/results", "bucket": BUCKET, "prefix": "b", "export": ALL},
    ],
    "whole": [{"path": "/", "bucket": "new", "import": ALL, "export": ALL}],
}
_CACHES: dict[str, dict[str, Any]] = {
    "absent": {},
    "drive": {"drive_cache": True},
    "no-drive": {"drive_cache": False},
    "proportional": {"read_cache": {"sizing": "proportional"}},
    "user-provisioned": {"read_cache": {"sizing": "user-provisioned", "size_gib": 512}},
    "none": {"read_cache": {"sizing": "none"}},
}


def lustre_of(row: Row, *, key_arn: str = KEY, grown: bool = False) -> dict[str, Any]:
    """What a profile states under `lustre` for a row; `grown` is the same one step larger."""
    data: dict[str, Any] = {
        "kind": "new",
        "deployment": row["deployment"],
        "storage": row["storage"],
        "efa": row["efa"] == "true",
        "version": row["version"],
        "compression": row["compression"],
        "logs": row["logs"],
        "data_repositories": _LINKS[row["links"]],
        **_CACHES[row["cache"]],
        **_size(row, grown=grown),
    }
    if row["backups"] == "daily":
        data["backups"] = {"retention_days": 14, "daily_start": "04:30", "copy_tags": True}
    if row["root_squash"] == "squashed":
        data["root_squash"] = {"uid": 65534, "gid": 65533, "except_clients": ["10.0.1.6@tcp"]}
    if row["key"] == "stated":
        data["key_arn"] = key_arn
    return data


def _size(row: Row, *, grown: bool) -> dict[str, Any]:
    """Throughput, capacity and metadata IOPS."""
    facts = catalog().lustre
    steps = (3 if row["size"] == "several" else 1) + grown
    if row["throughput"] == WHOLE:
        declared: dict[str, Any] = {"throughput_mbps": steps * facts.tiering.throughput_step_mbps}
        if row["metadata"] == "stated":
            declared["metadata_iops"] = facts.tiering.metadata_iops[-1]
        return declared
    kind = facts.kind(row["deployment"], row["storage"])
    tier = int(row["throughput"]) if row["throughput"] != "none" else (kind and next(iter(kind.tiers), 0))
    efa = row["efa"] == "true"
    step = (facts.step_of(kind, tier, efa=efa) if kind and tier else None) or facts.capacity_step_gib
    small = kind.small_capacities_gib if kind and not efa else ()
    capacity = step * steps if row["size"] != "smallest" or grown else min((step, *small))
    declared = {"capacity_gib": capacity}
    if row["throughput"] != "none":
        declared["throughput_mbps_per_tib"] = tier
    if row["metadata"] == "stated":
        # enough for one step more too: FSx raises metadata and capacity one after the other (STORAGE-10)
        declared["metadata_iops"] = facts.enough_metadata_iops(0, step * (steps if grown else steps + 1))
    return declared


def cluster_of(lustre: dict[str, Any], folder: Path) -> Cluster:
    """A profile of a network and this file system, as the one way in reads and judges it."""
    profile = {
        "extends": "p6-b200-data",
        "name": "sample",
        # replaced as a whole: what the built-in one states of a link or a tier is no part of the row
        "storage": {"lustre": {**_NOTHING, **lustre}},
    }
    file = folder / "sample.yaml"
    file.write_text(yaml.safe_dump(profile, sort_keys=False), encoding="utf-8")
    return load_cluster(str(file))


_NOTHING = {"capacity_gib": None, "throughput_mbps_per_tib": None}


def matrix(folder: Path) -> Matrix:
    """The matrix, with the rules of the pure core as its judge."""
    return Matrix(FACTORS, FRAMING, lambda row: cluster_of(lustre_of(row), folder).design is not None)
