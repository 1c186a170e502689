"""Profile keys of Karpenter, which launches nodes instead of managed node groups."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model, Name, Sequence


class KarpenterGroup(Model):
    """A compute group whose nodes Karpenter launches."""

    name: Annotated[Name, Field(description="Name of a compute group.")]
    nodes: Annotated[
        Literal["static", "as-needed"],
        Field(
            description="static: always `count` nodes; as-needed: 0 to `count` nodes, depending on pending pods. Karpenter cannot convert a node pool: rename the group to change this value."
        ),
    ] = "static"


class Karpenter(Model):
    """Karpenter for selected compute groups; the other groups are managed node groups."""

    groups: Annotated[
        Sequence[KarpenterGroup],
        Field(min_length=1, max_length=100, description="Compute groups whose nodes Karpenter launches."),
    ]
