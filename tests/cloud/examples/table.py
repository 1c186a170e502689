"""All examples."""

from __future__ import annotations

from . import clusters, databases, identity, network, observability, operations, storage
from .example import Example

EXAMPLES = (
    *network.EXAMPLES,
    *storage.EXAMPLES,
    *identity.EXAMPLES,
    *clusters.EXAMPLES,
    *databases.EXAMPLES,
    *observability.EXAMPLES,
    *operations.EXAMPLES,
)


def example_of(resource_type: str) -> Example:
    return next(example for example in EXAMPLES if example.type == resource_type)
