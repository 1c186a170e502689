"""Profiles of clusters with Kubernetes, in a few keys."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import yaml

from config.cluster import load_cluster
from config.design.model import Design

SYSTEM = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 16}


def profile(*groups: dict[str, Any], **orchestrator: Any) -> dict[str, Any]:
    """Return a profile under EKS with these groups, by default 16 nodes of p6-b200."""
    return {
        "extends": "p6-b200",
        "name": "mine",
        "orchestrator": {"kind": "eks", **orchestrator},
        "compute": {"groups": [SYSTEM, *(groups or (TRAIN,))]},
    }


def ultraservers(count: int) -> dict[str, Any]:
    """Return a profile under HyperPod with so many nodes in UltraServers of 18 instances."""
    plan = {
        "kind": "training-plan",
        "arn": "arn:aws:sagemaker:us-east-1:123456789012:training-plan/mine",
        "availability_zone_id": "use1-dfw2-az1",
        "ultraserver": "u-p6e-gb200x72",
    }
    group = {**TRAIN, "instance_type": "p6e-gb200.36xlarge", "count": count, "capacity": plan}
    return {
        "extends": "p6e-gb200",
        "name": "mine",
        "orchestrator": {"kind": "hyperpod-eks"},
        "compute": {"groups": [SYSTEM | {"instance_type": "m6i.4xlarge"}, group]},
    }


def everything(kind: str, scheduler: str) -> dict[str, Any]:
    """Return a profile in which all components and all objects that a profile can have are on."""
    # KAI lends all idle nodes
    lent = {} if scheduler == "kai" else {"lend": 8}
    return {
        "extends": "p6-b200",
        "name": "everything",
        "orchestrator": {
            "kind": kind,
            "scheduler": scheduler,
            "components": {
                "training": ["trainer", "jobset", "leader-worker-set"],
                "cert_manager": True,
            },
            "scheduling": {
                "priorities": [{"name": "urgent", "value": 1000}, {"name": "low", "value": -100}],
                "teams": [
                    {"name": "vision", "shares": [{"group": "train", "nodes": 10, **lent}]},
                    {
                        "name": "speech",
                        "namespace": "speech-jobs",
                        "shares": [{"group": "train", "nodes": 4}],
                    },
                ],
            },
        },
        "compute": {"groups": [SYSTEM, {**TRAIN, "count": 16}]},
    }


def design_of(profile: dict[str, Any]) -> Design:
    """Return the design of a profile without errors."""
    found, errors = judged(profile)
    assert found is not None, errors
    return found


def judged(profile: dict[str, Any]) -> tuple[Design | None, list[str]]:
    """Return the design of a profile, and the messages of its errors; None with errors."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "profile.yaml"
        file.write_text(yaml.safe_dump(profile), encoding="utf-8")
        found = load_cluster(str(file))
    return found.design, [one.message for one in found.diagnostics if one.stops]
