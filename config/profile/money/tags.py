"""Tags in a profile: whose the cluster is, and who pays for it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from config.profile.base import TAG_KEY, TAG_VALUE

MOST_TAGS = 40
"""A resource has 50 at most. A node has up to ten that ultracluster, EKS and Karpenter write beside the user's;
AWS ParallelCluster takes 40 in all, of which one is ultracluster's.
Source: https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html
"""

Tags = dict[
    Annotated[str, Field(pattern=TAG_KEY, max_length=128)],
    Annotated[str, Field(pattern=TAG_VALUE, max_length=256)],
]
"""Values by key: `{owner: pretraining, cost-centre: "4711"}`."""

NO_TAGS: Tags = {}
"""What a profile states that states none."""
