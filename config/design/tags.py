"""The tags of everything that belongs to a profile."""

from __future__ import annotations

from config.profile.model import Profile

PROFILE_TAG = "ultracluster:profile"
"""The tag by which everything of a profile is found, and its costs are added up."""


ENVIRONMENT_TAG = "ultracluster:environment"
"""The tag of a profile that stands in one of several environments."""


def profile_tags(profile: Profile) -> dict[str, str]:
    """What every resource, node and volume has: the profile, its environment and the tags of the user."""
    place = {ENVIRONMENT_TAG: profile.environment} if profile.environment else {}
    return dict(sorted({**profile.tags, **place, PROFILE_TAG: profile.name}.items()))
