"""Which profiles' stacks a profile stands on."""

from __future__ import annotations


def required_profiles(profile: str) -> list[str]:
    """The profiles to deploy before this one, in order. A profile without a `data` profile stands alone."""
    return []
