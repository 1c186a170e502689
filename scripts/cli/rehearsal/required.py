"""Find the data profile that a profile attaches, because it must be deployed first."""

from __future__ import annotations

from config.cluster import load_cluster


def required_profiles(profile: str) -> list[str]:
    """Return the profiles that must be deployed first, in order."""
    data = load_cluster(profile).data_profile
    return [data] if data else []
