"""The corpus of many suites: the built-in profiles under the control planes that no rule refuses them."""

from __future__ import annotations

from functools import cache

from config.cluster import load_cluster
from config.profile.orchestrator import ORCHESTRATORS
from config.profile.source.reference import built_in_names


@cache
def accepted() -> tuple[tuple[str, str], ...]:
    """Profile and control plane of every such pair."""
    pairs = ((name, kind) for name in built_in_names() for kind in ORCHESTRATORS)
    return tuple(pair for pair in pairs if load_cluster(pair[0], orchestrator=pair[1]).design is not None)


@cache
def clusters() -> tuple[tuple[str, str | None], ...]:
    """The same, and the profiles that have no control plane, as they are."""
    alone = []
    for name in built_in_names():
        design = load_cluster(name).design
        assert design is not None
        if design.profile.orchestrator is None:
            alone.append((name, None))
    named = {name for name, _ in alone}
    return (*alone, *(pair for pair in accepted() if pair[0] not in named))
