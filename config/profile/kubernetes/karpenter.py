"""Nodes that Karpenter launches in the place of managed node groups."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model, Name, Sequence


class KarpenterGroup(Model):
    """A compute group whose nodes Karpenter launches."""

    name: Annotated[Name, Field(description="Name of a compute group.")]
    nodes: Annotated[
        Literal["static", "as-needed"],
        Field(
            description="static: `count` nodes, always; as-needed: from none to `count`, as pods ask. The one cannot become "
            "the other: that is another group."
        ),
    ] = "static"


class Karpenter(Model):
    """Karpenter, which launches nodes group by group; the other groups stay managed node groups."""

    groups: Annotated[
        Sequence[KarpenterGroup],
        Field(min_length=1, max_length=100, description="Compute groups whose nodes Karpenter launches."),
    ]
