"""Random settings of Kubernetes control planes; most combinations are consistent."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.catalog import ControlPlane
from scripts.tools.fuzz.values.schema_values import of_key

Data = dict[str, Any]
_OF_BOTH = ("endpoint", "access", "control_plane_logs", "support", "deployer_access", "addon_versions")
_OF_EKS = ("node_image", "node_repair")
_OF_HYPERPOD = (
    "tiered_checkpointing", "training_operator", "inference_operator", "observability_addon",
    "health_agent_image",
)  # fmt: skip
_DEVICES = st.sampled_from(["plugins", "dra"])
_TEAMS = ("vision", "speech", "language")
_REGISTRY = {"kind": "registry", "registry": "123456789012.dkr.ecr.us-west-2.amazonaws.com/charts"}


def draw_kubernetes(draw: DrawFn, plane: ControlPlane, groups: list[Data]) -> Data:
    """Return random keys of the control plane; if a group is autoscaled, change its `count` to 0."""
    model = "Eks" if plane.name == "eks" else "HyperPodEks"
    keys = (*_OF_BOTH, *(_OF_EKS if plane.name == "eks" else _OF_HYPERPOD))
    data: Data = {key: draw(of_key(model, key)) for key in keys if draw(st.integers(0, 5)) == 0}
    if draw(st.integers(0, 7)) == 0:
        data["secrets_key"] = {"kind": "new"}
    if draw(st.booleans()):
        data["scheduler"] = draw(of_key(model, "scheduler"))
    compute = [group for group in groups if group["role"] == "compute"]
    if draw(st.integers(0, 3)) == 0:
        data["components"] = _components(draw, compute)
    if draw(st.integers(0, 7)) == 0:
        data["charts"] = _REGISTRY
    data |= _of_eks(draw, compute) if plane.name == "eks" else _of_hyperpod(draw, compute)
    if "task_governance" not in data and draw(st.integers(0, 2)) == 0:
        data["scheduling"] = _scheduling(draw, compute)
    return data


def _components(draw: DrawFn, compute: list[Data]) -> Data:
    """Return a few components, or sometimes any value that the schema accepts."""
    if draw(st.integers(0, 7)) == 0:
        made: Data = draw(of_key("Eks", "components"))
        return made
    data: Data = {}
    for key in ("gpu_operator", "metrics_server", "cert_manager", "node_monitoring"):
        if draw(st.integers(0, 3)) == 0:
            data[key] = draw(st.booleans())
    if draw(st.booleans()):
        frameworks = st.sampled_from(["trainer", "jobset", "leader-worker-set"])
        data["training"] = draw(st.lists(frameworks, unique=True, max_size=2))
    if draw(st.integers(0, 3)) == 0:
        data["devices"] = draw(_DEVICES)
    if compute and draw(st.integers(0, 5)) == 0:
        data["group_devices"] = {compute[0]["name"]: draw(_DEVICES)}
    return data


def _scheduling(draw: DrawFn, compute: list[Data]) -> Data:
    """Return scheduling settings: preemption, and teams of which some have a share of one node or GPU."""
    data: Data = {}
    if draw(st.integers(0, 3)) > 0:
        teams = draw(st.lists(st.sampled_from(_TEAMS), unique=True, min_size=1))
        data["teams"] = [_team(draw, name, compute) for name in teams]
    for key in ("preemption", "kueue", "kai", "topology", "priorities"):
        if draw(st.integers(0, 4)) == 0:
            data[key] = draw(of_key("Scheduling", key))
    return data


def _team(draw: DrawFn, name: str, compute: list[Data]) -> Data:
    team: Data = {"name": name}
    if draw(st.integers(0, 3)) == 0:
        team["namespace"] = f"{name}-jobs"
    if draw(st.booleans()) and compute:
        group = draw(st.sampled_from(compute))
        share: Data = {"group": group["name"], draw(st.sampled_from(["nodes", "gpus"])): 1}
        if draw(st.integers(0, 2)) == 0:
            share |= {"borrow": draw(st.integers(0, 4)), "lend": draw(st.integers(0, 1))}
        team["shares"] = [share]
    if draw(st.integers(0, 2)) == 0:
        team["weight"] = draw(st.integers(1, 10))
    return team


def _of_eks(draw: DrawFn, compute: list[Data]) -> Data:
    """Return Karpenter for some groups."""
    if draw(st.integers(0, 4)):
        return {}
    count = draw(st.integers(1, len(compute)))
    modes = st.sampled_from(["static", "as-needed"])
    return {"karpenter": {"groups": [{"name": one["name"], "nodes": draw(modes)} for one in compute[:count]]}}


def _of_hyperpod(draw: DrawFn, compute: list[Data]) -> Data:
    """Return random HyperPod settings: provisioning, autoscaled groups and teams."""
    data: Data = {}
    if draw(st.booleans()):
        data["provisioning"] = "continuous"
        if len(compute) > 1 and draw(st.integers(0, 2)) == 0:
            compute[-1]["count"] = 0
            compute[-1].pop("deep_health_checks", None)
            data["autoscaling"] = {"groups": [compute[-1]["name"]]}
    if draw(st.integers(0, 3)) == 0:
        quotas = [{"instance_type": compute[0]["instance_type"], "nodes": draw(st.integers(0, 1))}]
        teams = draw(st.lists(st.sampled_from(_TEAMS), unique=True, max_size=2))
        data["task_governance"] = {
            "fair_share": draw(st.booleans()),
            "teams": [{"name": name, "quotas": quotas} for name in teams],
        }
    return data
