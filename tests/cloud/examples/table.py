"""All examples."""

from __future__ import annotations

from . import clusters, identity, network, observability, storage

EXAMPLES = (
    *network.EXAMPLES,
    *storage.EXAMPLES,
    *identity.EXAMPLES,
    *clusters.EXAMPLES,
    *observability.EXAMPLES,
)
