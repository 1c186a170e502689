"""Collection of metrics on the nodes of the tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from config.cluster import load_cluster
from config.design.model import Design
from config.design.nodes.collection import SlurmCollection
from config.design.nodes.scripts import NodeScriptsPlan
from config.design.observability.collection.slurm import plan_collection
from config.profile.model import Profile
from config.profile.observability.metrics import Observability
from config.profile.orchestrator import Eks, HyperPodEks
from config.profile.slurm.pcs import Pcs
from tests.nodes.node import SCRIPTED, bundle

TEXTFILES = "var/lib/node_exporter/textfile_collector"
URL = "http://127.0.0.1:9/api/v1/write"
FSX = "apiVersion: v1alpha1\n"
COUNTERS = {"blackwell": "DCGM_FI_DEV_GPU_TEMP, gauge, GPU temperature in C\n"}
ARCHITECTURES = {"p6-b200.48xlarge": "blackwell"}
_ORCHESTRATORS: Mapping[str, Any] = {
    "pcs": lambda settings: Pcs(kind="pcs", **settings),
    "eks": lambda _: Eks(kind="eks"),
    "hyperpod-eks": lambda _: HyperPodEks(kind="hyperpod-eks"),
}


def design() -> Design:
    """Return the built-in profile p6-b200."""
    found = load_cluster("p6-b200").design
    assert found
    return found


def profile_of(
    kind: str = "hyperpod-slurm",
    *,
    collection: Mapping[str, Any] | None = None,
    authentication: Mapping[str, Any] | None = None,
    managed: bool = False,
    pcs: Mapping[str, Any] | None = None,
) -> Profile:
    """Return p6-b200 with a control plane, and by default with an existing Prometheus."""
    existing = {
        "kind": "existing",
        "remote_write_url": URL,
        "authentication": authentication or {"kind": "none"},
    }
    wanted = Observability.model_validate(
        {"prometheus": {"kind": "managed"} if managed else existing, "collection": dict(collection or {})}
    )
    profile = design().profile.model_copy(update={"observability": wanted})
    if kind == "hyperpod-slurm":
        return profile
    return profile.model_copy(update={"orchestrator": _ORCHESTRATORS[kind](pcs or {})})


def collection_of(profile: Profile, *, fsx: str | None = FSX) -> SlurmCollection | None:
    """Return the collection on the nodes of a profile."""
    return plan_collection(
        profile,
        design().groups,
        counters=COUNTERS,
        architectures=ARCHITECTURES,
        fsx=fsx,
        file_systems=(SCRIPTED,),
    )


def collecting_bundle(kind: str = "hyperpod-slurm", **declared: Any) -> NodeScriptsPlan:
    """Return the script bundle of this cluster."""
    found = collection_of(profile_of(kind, **declared))
    assert found
    return bundle(kind, [SCRIPTED] if kind == "pcs" else (), collection=found)
