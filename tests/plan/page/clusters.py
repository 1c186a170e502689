"""Clusters whose pages are looked at: every built-in one, and what is unlike them."""

from __future__ import annotations

import json
from pathlib import Path

from config.profile.source.reference import built_in_names
from scripts.tools.bench.grown import with_groups, with_hyperpod_nodes

_NASTY = "</title><script>alert(1)</script><img src=https://example.com/x.png onerror=alert(2)> & | `code`"

_PROFILES: dict[str, dict[str, object]] = {
    "minimal": {
        "extends": "p5-dev",
        "orchestrator": None,
        "compute": None,
        "storage": None,
        "observability": None,
    },
    "small": {"extends": "p5-dev", "storage": None, "observability": None},
    "storage": {
        "extends": "p6-b200",
        "storage": {
            "lustre": {"root_squash": {"uid": 65534, "gid": 65533}},
            "additional_lustre": [
                {"kind": "new", "name": "cold", "mount_path": "/cold", "storage": "intelligent-tiering",
                 "throughput_mbps": 4000, "read_cache": {"sizing": "proportional"}},
                {"kind": "new", "name": "a-name-as-long-as-a-name-may-bee", "mount_path": "/kept",
                 "capacity_gib": 1200, "throughput_mbps_per_tib": 125, "data_repositories": [
                     {"path": f"/{place}", "bucket": "a-bucket-of-somebody-else-with-a-long-name",
                      "prefix": place, "import": ["new"], "export": ["new"]} for place in ("raw", "clean")]},
            ],
            "home": {"kind": "new", "users": 2000},
            
        },
        "workload": {"parameters": 405e9, "experts": 256},
    },
    "closed": {"extends": "p6-b200", "network": {"closed": True}, "orchestrator": {"kind": "hyperpod-slurm"}},
    "words": {
        "extends": "p6-b200",
        "waive": [{"code": "CAP011", "reason": _NASTY}],
            },
    "wrong": {"extends": "p6-b200", "region": "<script>alert(1)</script>"},
}  # fmt: skip

UNDER = {"p6-b200": ("eks", "pcs", "hyperpod-eks"), "p5": ("eks",)}


def clusters(folder: Path) -> dict[str, tuple[str, str | None]]:
    """Profile and control plane of each, by a name for its page."""
    found: dict[str, tuple[str, str | None]] = {name: (name, None) for name in built_in_names()}
    found |= {f"{name}-{kind}": (name, kind) for name, kinds in UNDER.items() for kind in kinds}
    for name, profile in _PROFILES.items():
        file = folder / f"{name}.yaml"
        file.write_text(json.dumps(profile | {"name": name}), encoding="utf-8")
        found[name] = (str(file), None)
    found["nodes-2000"] = (with_hyperpod_nodes(folder, 2000), None)
    found["groups-64"] = (with_groups(folder, 64), None)
    return found
