"""What an update can do to a resource."""

from __future__ import annotations

from enum import StrEnum


class Effect(StrEnum):
    """What a change does to the resource, the strongest last."""

    IN_PLACE = "in place"
    INTERRUPTION = "interruption"
    MAY_REPLACE = "may replace"
    REFUSED = "refused"
    REPLACEMENT = "replacement"


class Topic(StrEnum):
    """What a change is about, where more follows from it than its effect says."""

    NODES_REPLACED = "nodes replaced"
    NODES_REMOVED = "nodes removed"
    NEW_NODES_ONLY = "new nodes only"
    DATA_EXPIRES = "data expires"
    LEFT_BEHIND = "left behind"
