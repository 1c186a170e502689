"""Which profiles must be deployed before another: the data profile that it attaches to."""

from __future__ import annotations

from config.cluster import load_cluster


def required_profiles(profile: str) -> list[str]:
    """The profiles that this one needs on the ground first, in order."""
    data = load_cluster(profile).data_profile
    return [data] if data else []
