"""What every part of a stack takes of its profile."""

from __future__ import annotations

from config.design.tags import profile_tags
from config.profile.model import Profile
from ultracluster.retention import Retention


def retention_of(profile: Profile) -> Retention:
    """Stateful things stay unless the profile calls itself disposable."""
    return Retention.DISPOSABLE if profile.disposable else Retention.RETAIN


def tags_of(profile: Profile) -> dict[str, str]:
    """Tags of every resource; stable, since a changed tag updates a linked file system (STORAGE-09)."""
    return profile_tags(profile)
