"""Tags of all resources of a profile."""

from __future__ import annotations

from config.profile.model import Profile

PROFILE_TAG = "ultracluster:profile"
"""Tag that identifies all resources of a profile, also for cost reports."""


ENVIRONMENT_TAG = "ultracluster:environment"
"""Tag that names the environment of a profile."""


def profile_tags(profile: Profile) -> dict[str, str]:
    """Return the tags of every resource, node and volume: profile, environment and user tags."""
    place = {ENVIRONMENT_TAG: profile.environment} if profile.environment else {}
    return dict(sorted({**profile.tags, **place, PROFILE_TAG: profile.name}.items()))
