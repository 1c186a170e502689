"""The name of a profile in its environment, which is the name of its stack."""

from __future__ import annotations

from config.profile.model import Profile

MARK = "env"
"""Separator between a profile's name and its environment.

`pretrain-prod` can be the name of a profile. `pretrain-env-prod` is always `pretrain` in `prod`, because an
environment does not contain hyphens, and only the first part of a profile name may be `env` (ENV001).
"""


def full_name(name: str, environment: str | None) -> str:
    """Return `pretrain-env-prod` for `pretrain` in `prod`; the name itself without an environment."""
    return f"{name}-{MARK}-{environment}" if environment else name


def in_environment(profile: Profile) -> Profile:
    """Return the profile with the name of its stack, from which all other names are derived."""
    if profile.environment is None:
        return profile
    return profile.model_copy(update={"name": full_name(profile.name, profile.environment)})


def declared_name(profile: Profile) -> str:
    """Return the name that the user wrote, without the environment."""
    return profile.name.removesuffix(full_name("", profile.environment))
