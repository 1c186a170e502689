"""Effects of an update on a resource."""

from __future__ import annotations

from enum import StrEnum


class Effect(StrEnum):
    """The effects of a change on a resource, from the weakest to the strongest."""

    IN_PLACE = "in place"
    INTERRUPTION = "interruption"
    MAY_REPLACE = "may replace"
    REFUSED = "refused"
    REPLACEMENT = "replacement"


class Topic(StrEnum):
    """A consequence of a change, in addition to its effect on the resource."""

    NODES_REPLACED = "nodes replaced"
    NODES_REMOVED = "nodes removed"
    NEW_NODES_ONLY = "new nodes only"
    DATA_EXPIRES = "data expires"
    LEFT_BEHIND = "left behind"
