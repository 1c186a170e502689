"""What every part of a stack takes of its profile."""

from __future__ import annotations

from config.design.model import Design
from config.design.tags import profile_tags
from ultracluster.retention import Retention


def retention_of(design: Design) -> Retention:
    """Stateful things stay unless the profile calls itself disposable."""
    return Retention.DISPOSABLE if design.profile.disposable else Retention.RETAIN


def tags_of(design: Design) -> dict[str, str]:
    """Tags of every resource; stable, since a changed tag updates a linked file system (STORAGE-09)."""
    return profile_tags(design.profile)
