"""Profile type of the tags that the stack adds to each resource."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from config.profile.base import TAG_KEY, TAG_VALUE

MOST_TAGS = 40
"""A resource has at most 50 tags. ultracluster, EKS and Karpenter add up to ten tags to a node. AWS
ParallelCluster accepts 40 tags, of which ultracluster uses one. Source:
https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html"""

Tags = dict[
    Annotated[str, Field(pattern=TAG_KEY, max_length=128)],
    Annotated[str, Field(pattern=TAG_VALUE, max_length=256)],
]
"""Values by key: `{owner: pretraining, cost-centre: "4711"}`."""

NO_TAGS: Tags = {}
"""Default for a profile without tags."""
